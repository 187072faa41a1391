// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Durability;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Optimistic readers and writers over a store more than ten times the pool, so that nearly every
 * page that somebody looks at is about to be evicted. If this failed, a reader could take the bytes
 * of one page for those of another, or miss a row.
 */
@ExtendWith(SeedExtension.class)
final class EvictionStressTest {
    private static final int PAIRS = 6000;
    private static final int VALUE_BYTES = 240;

    @Test
    void givenAStoreOfManyTimesThePool_whenReadAndWrittenAtOnce_thenEachViewIsOfOneMoment(
            SeededRandom random, TestReporter reporter) throws Exception {
        Duration time = SeedExtension.everydayOrSoak(Duration.ofSeconds(5), Duration.ofMinutes(10));
        try (RigEngine opened = RigEngine.open(MemoryDirectory.create())) {
            run(opened, random, time);

            reporter.publishEntry("evicted", opened.count(Counter.PAGES_EVICTED) + " pages");
            reporter.publishEntry("restarts", opened.count(Counter.TREE_RESTARTS) + " restarts");
            assertThat(opened.count(Counter.PAGES_EVICTED)).isGreaterThan(20L * RigEngine.FRAMES);
            assertThat(opened.count(Counter.TREE_RESTARTS)).isPositive();
            assertThat(opened.count(Counter.VERSIONS_FOLLOWED)).isPositive();
        }
    }

    static void run(RigEngine opened, SeededRandom random, Duration time) throws Exception {
        PairedRows rows = new PairedRows(opened.engine(), PAIRS, VALUE_BYTES);
        rows.load();
        StressThreads threads = new StressThreads(random, time);
        for (int i = 0; i < 2; i++) {
            threads.start("write", r -> rows.update(r, Durability.LAZY));
            threads.start("read", rows::readPairs);
        }
        threads.start("scan", r -> rows.scan(r, 300));
        threads.join();
        rows.checkAll(random);
        StoreCheck.verify(opened.engine());
    }
}
