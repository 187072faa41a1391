// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.TableOptions;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Files that get one kind of checksum after the other while rows are read and written, pages are
 * evicted and tables come and go. If this failed, a reader could meet a page of a kind that is no
 * longer allowed, or a conversion could wait for ever.
 */
@ExtendWith(SeedExtension.class)
final class ConversionStressTest {
    private static final int PAIRS = 1500;
    private static final int VALUE_BYTES = 240;
    private static final List<String> KINDS = List.of("NONE", "WORD", "LEGACY", "CRC32C");

    @Test
    void givenLoad_whenConvertedAgainAndAgain_thenRowsAreRightAndTheStoreIsSound(
            SeededRandom random, TestReporter reporter) throws Exception {
        Duration time = SeedExtension.everydayOrSoak(Duration.ofSeconds(5), Duration.ofMinutes(10));
        var options = RigEngine.options().ioCapacity(100_000).build();
        try (RigEngine opened = RigEngine.open(MemoryDirectory.create(), options)) {
            Engine engine = opened.engine();
            PairedRows rows = new PairedRows(engine, PAIRS, VALUE_BYTES);
            rows.load();
            StressThreads threads = new StressThreads(random, time);
            threads.start("write", r -> rows.update(r, Durability.LAZY));
            threads.start("read", rows::readPairs);
            threads.start("tables", r -> createAndDrop(engine, r));
            threads.start("convert", r -> convert(engine, r));
            threads.join();
            rows.checkAll(random);

            convert(engine, random);
            StoreCheck.verify(engine);
            reporter.publishEntry(
                    "converted", opened.count(Counter.SPACE_PAGES_CONVERTED) + " pages");
            assertThat(opened.count(Counter.SPACE_PAGES_CONVERTED)).isGreaterThan(PAIRS);
            assertThat(opened.count(Counter.TABLES_DROPPED)).isPositive();
        }
    }

    private static void convert(Engine engine, SeededRandom random) {
        String kind = KINDS.get(random.nextInt(KINDS.size()));
        assertThat(engine.convertChecksums(kind).isComplete()).isTrue();
    }

    private static void createAndDrop(Engine engine, SeededRandom random) {
        boolean own = random.oneIn(2);
        var table = engine.table("passing", own ? TableOptions.ownSpace() : TableOptions.shared());
        engine.write(
                transaction -> {
                    for (int i = 0; i < 50; i++) {
                        transaction.put(table, Keys.bytes("row-" + i), new byte[VALUE_BYTES]);
                    }
                    return null;
                });
        engine.dropTable("passing");
    }
}
