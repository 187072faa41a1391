// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Engine;
import dev.holdfast.WaitReport;
import dev.holdfast.WaitReport.Row;
import dev.holdfast.WaitTiming;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.CurrentWait;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, who asks what was waited for would be told something else, or not all of it. */
@ExtendWith(VerifyAfterTest.class)
final class SiteWaitsTest {
    @Test
    void givenAnEngine_whenAsked_thenEverySiteHasARowWithItsMeaning(TestEngines engines) {
        WaitReport report = engines.open().contention();

        assertThat(report.rows())
                .extracting(Row::name)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(
                                        Arrays.stream(CoreSites.values()).map(CoreSites::siteName),
                                        Arrays.stream(IoSites.values()).map(IoSites::siteName))
                                .toList());
        assertThat(row(report, "ROW_LOCK").meaning()).isEqualTo(CoreSites.ROW_LOCK.meaning());
    }

    @Test
    void givenWaitsThatAreTimed_whenAskedSinceBefore_thenTheirTimesAreKnown(TestEngines engines) {
        Engine engine = engines.open(TestEngines.small().timeWaits(WaitTiming.FULL).build());
        WaitReport before = engine.contention();
        waitOnce();
        waitOnce();

        WaitReport came = engine.contention().since(before);

        Row row = row(came, "WRITE_RETRY");
        assertThat(row.waits()).isEqualTo(2);
        assertThat(row.isEstimated()).isFalse();
        assertThat(row.waitNanos()).isPositive();
        assertThat(row.medianNanos()).isPositive();
        assertThat(row.p99Nanos()).isGreaterThanOrEqualTo(row.medianNanos());
        assertThat(row.maxNanos()).isGreaterThanOrEqualTo(row.p99Nanos());
        assertThat(2 * row.maxNanos()).isGreaterThanOrEqualTo(row.waitNanos() / 2);
        assertThat(came.toText()).contains("WRITE_RETRY").doesNotContain("~");
        assertThat(row(engine.contention(), "WRITE_RETRY").waits()).isGreaterThanOrEqualTo(2);
        assertThat(engine.status()).contains(engine.contention().top(1).rows().get(0).name());
    }

    @Test
    void givenWaitsThatAreNotTimed_whenAsked_thenTheyAreCountedAndMarked(TestEngines engines) {
        Engine engine = engines.open(TestEngines.small().timeWaits(WaitTiming.OFF).build());
        WaitReport before = engine.contention();
        waitOnce();

        Row row = row(engine.contention().since(before), "WRITE_RETRY");

        assertThat(row.waits()).isEqualTo(1);
        assertThat(row.isEstimated()).isTrue();
        assertThat(row.waitNanos()).isZero();
        assertThat(row.maxNanos()).isZero();
    }

    @Test
    void givenAReport_whenCut_thenTheLongestWaitsStay(TestEngines engines) {
        WaitReport report = engines.open().contention();

        List<Row> top = report.top(3).rows();

        assertThat(top).hasSize(3).isEqualTo(report.rows().subList(0, 3));
        assertThat(top.get(0).waitNanos()).isGreaterThanOrEqualTo(top.get(2).waitNanos());
        assertThat(report.top(1000).rows()).isEqualTo(report.rows());
        assertThat(report.top(0).rows()).isEmpty();
        assertThatThrownBy(() -> report.top(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> report.since(null)).isInstanceOf(IllegalArgumentException.class);
    }

    private static void waitOnce() {
        CurrentWait wait = CurrentWait.begin(CoreSites.WRITE_RETRY, 1);
        long began = System.nanoTime();
        while (System.nanoTime() - began < 2_000) {
            Thread.onSpinWait(); // so that the clock has moved
        }
        wait.end();
    }

    private static Row row(WaitReport report, String name) {
        return report.rows().stream()
                .filter(row -> row.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
