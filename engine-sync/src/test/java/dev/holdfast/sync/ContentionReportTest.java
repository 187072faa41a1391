// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.ContentionReport.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The report is how contention is found; its order and differences are what one looks at. */
final class ContentionReportTest {
    private static final Row SLOW = row("SLOW", 10, 2_000_000);
    private static final Row BUSY = row("BUSY", 1000, 0);
    private static final Row QUIET = row("QUIET", 0, 0);

    private static Row row(String name, long contended, long waitNanos) {
        long timed = waitNanos == 0 ? 0 : contended;
        return row(name, contended, timed, waitNanos, timed);
    }

    /** All timed waits that have ended took the same time. */
    private static Row row(String name, long contended, long timed, long nanos, long ended) {
        Histogram waits = new Histogram();
        for (long i = 0; i < ended; i++) {
            waits.record(nanos / ended);
        }
        return new Row(name, "", 1, contended, 5, 3, 0, 2, timed, nanos, waits.snapshot());
    }

    @Test
    void givenRows_whenReported_thenTheLongestWaitIsFirst() {
        ContentionReport report = new ContentionReport(List.of(QUIET, BUSY, SLOW));

        assertThat(report.rows()).containsExactly(SLOW, BUSY, QUIET);
        assertThat(report.top(1).rows()).containsExactly(SLOW);
        assertThat(report.top(9).rows()).hasSize(3);
    }

    @Test
    void givenRows_whenPrinted_thenQuietSitesAreLeftOutAndUntimedWaitsAreNotZero() {
        String[] lines = new ContentionReport(List.of(QUIET, BUSY, SLOW)).toText().split("\\R", -1);

        assertThat(lines).hasSize(4);
        assertThat(lines[0]).contains("site", "contended", "timeouts", "wait-ms", "p99-us");
        assertThat(lines[1].split(" +", -1))
                .containsExactly(
                        "SLOW", "10", "5", "3", "0", "2", "2.000", "262.143", "262.143", "262.143");
        assertThat(lines[2].split(" +", -1))
                .containsExactly("BUSY", "1000", "5", "3", "0", "2", "-", "-", "-", "-");
    }

    @Test
    void givenOneWaitInTenTimed_whenAskedForTheWait_thenItIsScaledAndMarked() {
        Row row = row("SAMPLED", 100, 10, 5_000, 10);

        String text = new ContentionReport(List.of(row)).toText();

        assertThat(row.waitNanos()).isEqualTo(50_000);
        assertThat(row.isEstimated()).isTrue();
        assertThat(text.split(" +", -1)).contains("~0.050", "~0.511");
    }

    @Test
    void givenAllWaitsTimedAndSomeUnderWay_whenAskedForTheWait_thenItIsWhatEnded() {
        Row row = row("FULL", 100, 100, 5_000, 10);

        assertThat(row.waitNanos()).isEqualTo(5_000);
        assertThat(row.isEstimated()).isFalse();
    }

    @Test
    void givenShortAndLongWaits_whenAskedForPercentiles_thenTheyAreBoundsOfTheirBuckets() {
        Histogram waits = new Histogram();
        for (int i = 0; i < 98; i++) {
            waits.record(1000);
        }
        waits.record(100_000);
        waits.record(1_000_000);
        Row row = new Row("SITE", "", 1, 100, 0, 0, 0, 0, 100, 1_198_000, waits.snapshot());

        assertThat(row.percentileNanos(50)).isEqualTo(1023);
        assertThat(row.percentileNanos(99)).isEqualTo(131_071);
        assertThat(row.maxNanos()).isEqualTo(1_048_575);
    }

    @Test
    void givenAnEarlierReport_whenSubtracted_thenTheDifferenceIsLeftAndNothingIsReset() {
        FreshSite site = new FreshSite("NAMED");
        site.counters().countOptimisticRestart();
        site.counters().countTimeout();
        site.counters().timing(WaitTiming.FULL);
        site.counters().waitEnded(site.counters().waitBegan());
        site.counters().timing(WaitTiming.OFF);
        ContentionReport earlier = report(site);
        site.counters().countOptimisticRestart();
        site.counters().countPark();
        site.counters().countTimeout();
        site.counters().waitEnded(site.counters().waitBegan());
        site.counters().timing(WaitTiming.FULL);
        site.counters().waitEnded(site.counters().waitBegan());

        ContentionReport since = report(site).since(earlier);

        Row row = since.rows().get(0);
        assertThat(row)
                .isEqualTo(
                        new Row(
                                "NAMED",
                                site.meaning(),
                                1,
                                2,
                                0,
                                1,
                                1,
                                1,
                                1,
                                row.timedWaitNanos(),
                                row.waits()));
        assertThat(row.waits().count()).isEqualTo(1);
        assertThat(site.counters().waits().count()).isEqualTo(2);
        assertThat(report(site).since(report(site)).rows().get(0).waits().count()).isZero();
        assertThat(site.counters().optimisticRestarts()).isEqualTo(2);
    }

    @Test
    void givenANewSite_whenTheEarlierReportLacksIt_thenItCountsFromZero() {
        ContentionReport since =
                new ContentionReport(List.of(SLOW, BUSY))
                        .since(new ContentionReport(List.of(BUSY)));

        assertThat(since.rows()).contains(SLOW);
    }

    private static ContentionReport report(ContentionSite site) {
        return ContentionReport.of(List.of(site));
    }
}
