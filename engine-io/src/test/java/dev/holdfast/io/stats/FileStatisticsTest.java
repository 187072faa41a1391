// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** If this failed, the figures of a file would not be what was done to it. */
final class FileStatisticsTest {

    private final FileStatistics statistics = new FileStatistics();

    @Test
    void givenRequests_whenCounted_thenRequestsBytesAndTimesAreTold() {
        long aSecondAgo = FileStatistics.start() - 1_000_000_000L;

        statistics.readDone(aSecondAgo, 8192);
        statistics.readDone(FileStatistics.start(), 4096);
        statistics.writeDone(aSecondAgo, 16384);
        statistics.syncDone(aSecondAgo);

        assertThat(statistics.reads()).isEqualTo(2);
        assertThat(statistics.readNanos()).isGreaterThanOrEqualTo(1_000_000_000L);
        assertThat(statistics.readLatency().count()).isEqualTo(2);
        assertThat(statistics.readLatency().percentile(100)).isGreaterThan(1_000_000_000L);
        assertThat(statistics.writeLatency().count()).isEqualTo(1);
        assertThat(statistics.syncLatency().count()).isEqualTo(1);
        assertThat(statistics.syncNanos()).isGreaterThanOrEqualTo(1_000_000_000L);
        assertThat(statistics.readBytes()).isEqualTo(12288);
        assertThat(statistics.writeBytes()).isEqualTo(16384);
        assertThat(statistics.syncs()).isEqualTo(1);
    }

    @Test
    void givenTimes_whenCounted_thenEachFallsIntoItsPowerOfTwo() {
        statistics.readTook(3_000_000, 8192);
        statistics.readTook(1_000_000, 4096);
        statistics.writeTook(20_000_000, 1 << 20);
        statistics.syncTook(1_500_000_000);
        statistics.readTook(5, 0);

        assertThat(statistics.reads()).as("without the empty one").isEqualTo(2);
        assertThat(statistics.readLatency().count(20)).as("up to 2^20 ns").isEqualTo(1);
        assertThat(statistics.readLatency().count(22)).as("up to 2^22 ns").isEqualTo(1);
        assertThat(statistics.writeLatency().percentile(50)).isEqualTo((1L << 25) - 1);
        assertThat(statistics.syncLatency().count(31)).isEqualTo(1);
    }

    @Test
    void givenTheSites_whenListed_thenEachHasItsOwnRankMeaningAndCounters() {
        Set<Object> distinct = new HashSet<>();
        for (IoSites site : IoSites.values()) {

            assertThat(site.meaning()).isNotBlank();
            assertThat(site.siteName()).isEqualTo(site.name());
            assertThat(distinct.add(site.rank())).isTrue();
            assertThat(distinct.add(site.counters())).isTrue();
        }
    }
}
