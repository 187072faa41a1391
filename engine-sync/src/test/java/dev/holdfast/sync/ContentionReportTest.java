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
        return new Row(name, 1, contended, 5, 3, 0, waitNanos == 0 ? 0 : contended, waitNanos);
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
        assertThat(lines[0].split(" +", -1))
                .containsExactly("site", "contended", "spins", "parks", "restarts", "wait", "ms");
        assertThat(lines[1].split(" +", -1)).containsExactly("SLOW", "10", "5", "3", "0", "2.000");
        assertThat(lines[2].split(" +", -1)).containsExactly("BUSY", "1000", "5", "3", "0", "-");
    }

    @Test
    void givenOneWaitInTenTimed_whenAskedForTheWait_thenItIsScaled() {
        Row row = new Row("SAMPLED", 1, 100, 0, 0, 0, 10, 5_000);

        assertThat(row.waitNanos()).isEqualTo(50_000);
    }

    @Test
    void givenAnEarlierReport_whenSubtracted_thenTheDifferenceIsLeftAndNothingIsReset() {
        FreshSite site = new FreshSite("NAMED");
        site.counters().countOptimisticRestart();
        ContentionReport earlier = ContentionReport.of(List.of(site));
        site.counters().countOptimisticRestart();
        site.counters().countPark();
        site.counters().waitEnded(site.counters().waitBegan());

        ContentionReport since = ContentionReport.of(List.of(site)).since(earlier);

        assertThat(since.rows()).containsExactly(new Row("NAMED", 1, 1, 0, 1, 1, 0, 0));
        assertThat(site.counters().optimisticRestarts()).isEqualTo(2);
    }

    @Test
    void givenANewSite_whenTheEarlierReportLacksIt_thenItCountsFromZero() {
        ContentionReport since =
                new ContentionReport(List.of(SLOW, BUSY))
                        .since(new ContentionReport(List.of(BUSY)));

        assertThat(since.rows()).contains(SLOW);
    }
}
