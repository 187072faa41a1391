// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Range;
import dev.holdfast.Table;
import dev.holdfast.core.db.EngineAssembly;
import dev.holdfast.core.db.EngineProbe;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Leaves and chains that are freed all the time, tables that come and go, and conversions of
 * checksums, with many small batches in many slots, several writes at a time: crashed, worked on,
 * and crashed again. If this failed, an old entry of a doublewrite file would bring back what is
 * gone, or accuse a page that is as it should be.
 */
@ExtendWith(SeedExtension.class)
final class DoublewriteUnderLoadCrashTest {
    private static final int PAGE_BYTES = 4096;
    private static final int BLOCKS = 12;
    private static final int BLOCK_ROWS = 40;
    private static final int STEPS = 90;
    private static final int STEPS_AFTER = 8;
    private static final List<String> KINDS = List.of("WORD", "NONE", "CRC32C");
    private static final EngineOptions ON =
            EngineOptions.builder()
                    .pageBytes(PAGE_BYTES)
                    .poolBytes(64L * PAGE_BYTES)
                    .redoCapacityBytes(512 << 10)
                    .redoSelfCheck(true)
                    .ioCapacity(100_000)
                    .ioWriteThreads(4)
                    .doublewriteSlots(8)
                    .doublewriteBatchPages(3)
                    .build();
    private static final EngineOptions DETECTING =
            ON.toBuilder().doublewrite(DoublewriteMode.DETECT_ONLY).build();

    /** What the store holds after so many steps; noted when the step was acknowledged. */
    private record Done(int step) {}

    /** No write is torn, so nothing may be refused, and no page be told of. */
    @Test
    void givenEntriesAlone_whenCrashedAgainAndAgainWithoutATornWrite_thenNothingIsAccused(
            SeededRandom random, TestReporter reporter) {
        int images = SeedExtension.everydayOrSoak(40, 20_000);
        SimulatedDisk disk = record(random.seed(), DETECTING, reporter);

        CrashReport report =
                new CrashHarness("entries", disk.trace(), random.seed())
                        .modes(
                                CrashMode.NOTHING_PENDING,
                                CrashMode.ALL_PENDING,
                                CrashMode.PREFIX,
                                CrashMode.RANDOM_SUBSET,
                                CrashMode.PROCESS_KILLED)
                        .images(images)
                        .nested(3, 0.2, 0.1, 4)
                        .threads(2)
                        .shrinkTries(10)
                        .run(image -> recoverAndCheck(image, random.seed(), DETECTING));

        reporter.publishEntry("crashes", report.toText());
        assertThat(report.lossyImages()).as(report.toText()).isPositive();
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .noneMatch(path -> path.contains("damaged"));
    }

    @Test
    void givenCopies_whenCrashedAgainAndAgain_thenTheStoreIsRight(
            SeededRandom random, TestReporter reporter) {
        int images = SeedExtension.everydayOrSoak(40, 20_000);
        SimulatedDisk disk = record(random.seed(), ON, reporter);

        CrashReport report =
                new CrashHarness("copies", disk.trace(), random.seed())
                        .images(images)
                        .nested(3, 0.2, 0.1, 4)
                        .threads(2)
                        .shrinkTries(10)
                        .run(image -> recoverAndCheck(image, random.seed(), ON));

        reporter.publishEntry("crashes", report.toText());
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .anyMatch(path -> path.contains("repaired"));
    }

    private static SimulatedDisk record(long seed, EngineOptions options, TestReporter reporter) {
        SimulatedDisk disk = SimulatedDisk.create();
        try (Engine engine = EngineAssembly.open(disk.directory(), options)) {
            disk.mark(new Done(0));
            for (int step = 1; step <= STEPS; step++) {
                apply(engine, seed, step);
                disk.mark(new Done(step));
                if (step % 20 == 0) {
                    engine.checkpoint();
                }
            }
            for (Counter counter :
                    List.of(
                            Counter.SPACE_PAGES_FREED,
                            Counter.SPACE_PAGES_CONVERTED,
                            Counter.CHECKPOINTS,
                            Counter.DOUBLEWRITE_BATCHES)) {
                long count = EngineProbe.counters(engine).sum(counter);
                reporter.publishEntry(counter.name(), Long.toString(count));
                assertThat(count).as(counter.name()).isPositive();
            }
        }
        return disk;
    }

    private static String recoverAndCheck(CrashImage image, long seed, EngineOptions options) {
        int acknowledged = -1;
        for (Object mark : image.marks()) {
            acknowledged = Math.max(acknowledged, ((Done) mark).step);
        }
        try (Engine engine = EngineAssembly.open(image.disk().directory(), options)) {
            String path = path(engine);
            int step = stepOf(engine);
            assertThat(step).isGreaterThanOrEqualTo(acknowledged);
            assertThat(content(engine)).isEqualTo(model(seed, step));
            assertThat(engine.verify().toText()).contains("findings=0");
            image.disk().mark(new Done(step));
            for (int i = 1; i <= STEPS_AFTER; i++) {
                apply(engine, seed, step + i);
                image.disk().mark(new Done(step + i));
            }
            assertThat(content(engine)).isEqualTo(model(seed, step + STEPS_AFTER));
            return path;
        }
    }

    private static String path(Engine engine) {
        RecoveryReport report = EngineProbe.recovery(engine).orElse(null);
        if (report == null) {
            return "created";
        }
        return (report.wasClosedCleanly() ? "clean " : "")
                + (report.recordsApplied() > 0 ? "applied " : "")
                + (report.pagesRepaired() > 0 ? "repaired " : "")
                + (report.pagesDamaged() > 0 ? "damaged" : "");
    }

    private static int stepOf(Engine engine) {
        if (!engine.tables().contains("steps")) {
            return 0;
        }
        Table steps = engine.table("steps");
        byte[] step = engine.read(snapshot -> snapshot.get(steps, new byte[0]));
        return step == null ? 0 : Integer.parseInt(new String(step, UTF_8));
    }

    /** Blocks of rows come and go, so that their leaves and chains do; now and then a table. */
    private static void apply(Engine engine, long seed, int step) {
        SeededRandom random = new SeededRandom(seed).derive(step);
        int block = random.nextInt(BLOCKS);
        int bytes = bytesOf(random, step);
        if (step % 9 == 0 && engine.tables().contains("passing")) {
            engine.dropTable("passing");
        }
        if (step % 15 == 0) {
            assertThat(engine.convertChecksums(KINDS.get(step / 15 % KINDS.size())).isComplete())
                    .isTrue();
        }
        Table steps = engine.table("steps");
        Table rows = engine.table("rows");
        Table passing = engine.table("passing");
        engine.write(
                transaction -> {
                    for (int i = 0; i < BLOCK_ROWS; i++) {
                        byte[] key = key(block, i);
                        if (bytes == 0) {
                            transaction.delete(rows, key);
                        } else {
                            transaction.put(rows, key, new byte[i == 0 ? 20 * bytes : bytes]);
                        }
                        transaction.put(passing, key, new byte[100]);
                    }
                    transaction.put(steps, new byte[0], Integer.toString(step).getBytes(UTF_8));
                    return null;
                });
    }

    private static int bytesOf(SeededRandom random, int step) {
        return random.nextInt(2) == 0 ? 0 : 200 + step;
    }

    private static byte[] key(int block, int row) {
        return String.format("key-%02d-%03d", block, row).getBytes(UTF_8);
    }

    private static Map<String, Integer> model(long seed, int steps) {
        SortedMap<String, Integer> rows = new TreeMap<>();
        for (int step = 1; step <= steps; step++) {
            SeededRandom random = new SeededRandom(seed).derive(step);
            int block = random.nextInt(BLOCKS);
            int bytes = bytesOf(random, step);
            for (int i = 0; i < BLOCK_ROWS; i++) {
                String key = new String(key(block, i), UTF_8);
                if (bytes == 0) {
                    rows.remove(key);
                } else {
                    rows.put(key, i == 0 ? 20 * bytes : bytes);
                }
            }
        }
        return rows;
    }

    private static Map<String, Integer> content(Engine engine) {
        SortedMap<String, Integer> rows = new TreeMap<>();
        if (!engine.tables().contains("rows")) {
            return rows;
        }
        Table table = engine.table("rows");
        return engine.read(
                snapshot -> {
                    try (Cursor cursor = snapshot.cursor(table, Range.all())) {
                        while (cursor.next()) {
                            rows.put(new String(cursor.key(), UTF_8), cursor.value().length);
                        }
                    }
                    return rows;
                });
    }
}
