// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Cursor;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Range;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.core.db.EngineAssembly;
import dev.holdfast.core.db.EngineProbe;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * If this failed, a crash at some moment would leave a store that does not open, is unsound, has
 * lost what was acknowledged, or holds part of a transaction.
 *
 * <p>One thread works, so after a crash the store holds exactly what some number of its steps made,
 * and not fewer than were acknowledged.
 */
@ExtendWith(SeedExtension.class)
final class StoreRecoveryCrashTest {
    private static final int PAGE_BYTES = 4096;
    private static final EngineOptions OPTIONS =
            EngineOptions.builder()
                    .pageBytes(PAGE_BYTES)
                    .poolBytes(64L * PAGE_BYTES)
                    .redoCapacityBytes(512 << 10)
                    .redoSelfCheck(true)
                    .build();

    private static final EngineOptions DETECTING =
            OPTIONS.toBuilder()
                    .doublewrite(DoublewriteMode.DETECT_ONLY)
                    .doublewriteSlots(3)
                    .build();

    /** What the store holds after so many steps; noted when the step was acknowledged. */
    private record Done(int step) {}

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenStepsOfEveryKind_whenCrashedEverywhere_thenTheStoreIsOfOneMoment(
            SeededRandom random, TestReporter reporter) {
        int images = SeedExtension.everydayOrSoak(300, 10_000);
        SimulatedDisk disk = record(random.seed(), 120);

        CrashReport report = crash(disk, random.seed(), images);

        reporter.publishEntry("crashes", report.toText());
        assertThat(report.distinctImages()).as(report.toText()).isGreaterThan(images / 2);
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .anyMatch(path -> path.contains("applied"))
                .anyMatch(path -> path.contains("repaired"));
    }

    @Test
    void givenARedoFunctionThatIsOffByOne_whenCrashed_thenItIsNoticed(SeededRandom random) {
        SimulatedDisk disk = record(random.seed(), 60);
        TestHooks.plant(PlantedFault.REDO_OFF_BY_ONE);

        assertThatThrownBy(() -> crash(disk, random.seed(), 60)).isInstanceOf(AssertionError.class);
    }

    @Test
    void givenNoDoublewrite_whenPagesAreTorn_thenItIsNoticed(SeededRandom random) {
        TestHooks.plant(PlantedFault.NO_DOUBLEWRITE);
        SimulatedDisk disk = record(random.seed(), 120);

        assertThatThrownBy(() -> crash(disk, random.seed(), 2000))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void givenACheckpointBeforeTheDataIsSynced_whenCrashed_thenItIsNoticed(SeededRandom random) {
        TestHooks.plant(PlantedFault.CHECKPOINT_BEFORE_DATA_SYNC);
        SimulatedDisk disk = record(random.seed(), 120);
        TestHooks.unplant(PlantedFault.CHECKPOINT_BEFORE_DATA_SYNC);

        assertThatThrownBy(() -> crash(disk, random.seed(), 2000))
                .isInstanceOf(AssertionError.class);
    }

    /** The opens after a crash cut their batches otherwise. */
    @Test
    void givenSmallBatchesInManySlots_whenCrashedEverywhere_thenTheStoreIsOfOneMoment(
            SeededRandom random, TestReporter reporter) {
        int images = SeedExtension.everydayOrSoak(200, 10_000);
        EngineOptions recorded =
                OPTIONS.toBuilder().doublewriteSlots(4).doublewriteBatchPages(2).build();
        EngineOptions opened =
                OPTIONS.toBuilder().doublewriteSlots(3).doublewriteBatchPages(7).build();
        SimulatedDisk disk = record(random.seed(), 100, recorded);

        CrashReport report = crash(disk, random.seed(), images, opened);

        reporter.publishEntry("crashes", report.toText());
        assertThat(report.distinctImages()).as(report.toText()).isGreaterThan(images / 2);
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .anyMatch(path -> path.contains("repaired"));
    }

    /** Writes are lost and come out of order, but none is torn: then no page may be accused. */
    @Test
    void givenEntriesAlone_whenCrashedWithoutATornWrite_thenTheStoreOpensAndIsRight(
            SeededRandom random) {
        int images = SeedExtension.everydayOrSoak(200, 10_000);
        SimulatedDisk disk = record(random.seed(), 100, DETECTING);

        CrashReport report =
                new CrashHarness("detection", disk.trace(), random.seed())
                        .modes(
                                CrashMode.NOTHING_PENDING,
                                CrashMode.ALL_PENDING,
                                CrashMode.PREFIX,
                                CrashMode.RANDOM_SUBSET)
                        .images(images)
                        .nested(3, 0.1, 0, 4)
                        .shrinkTries(10)
                        .run(image -> recoverAndCheck(image, random.seed(), DETECTING));

        assertThat(report.lossyImages()).as(report.toText()).isPositive();
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .noneMatch(path -> path.contains("damaged"));
    }

    /** With torn writes it is not always to be opened, but it is never wrong. */
    @Test
    void givenEntriesAlone_whenCrashedEverywhere_thenTheStoreIsRightOrRefusedByName(
            SeededRandom random) {
        int images = SeedExtension.everydayOrSoak(300, 10_000);
        SimulatedDisk disk = record(random.seed(), 100, DETECTING);

        CrashReport report =
                new CrashHarness("detection", disk.trace(), random.seed())
                        .modes(CrashMode.LAST_TORN, CrashMode.GARBAGE_SECTORS)
                        .images(images)
                        .shrinkTries(10)
                        .run(
                                image -> {
                                    try {
                                        return recoverAndCheck(image, random.seed(), DETECTING);
                                    } catch (CorruptionException refused) {
                                        assertThat(refused.pageNumber()).isNotNegative();
                                        return "refused";
                                    }
                                });

        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .contains("refused")
                .hasSizeGreaterThan(1);
    }

    private static CrashReport crash(SimulatedDisk disk, long seed, int images) {
        return crash(disk, seed, images, OPTIONS);
    }

    private static CrashReport crash(
            SimulatedDisk disk, long seed, int images, EngineOptions options) {
        return new CrashHarness("recovery", disk.trace(), seed)
                .images(images)
                .nested(3, 0.05, 0.25, 4)
                .shrinkTries(10)
                .run(image -> recoverAndCheck(image, seed, options));
    }

    private static SimulatedDisk record(long seed, int steps) {
        return record(seed, steps, OPTIONS);
    }

    private static SimulatedDisk record(long seed, int steps, EngineOptions options) {
        SimulatedDisk disk = SimulatedDisk.create();
        try (Engine engine = EngineAssembly.open(disk.directory(), options)) {
            disk.mark(new Done(0));
            for (int step = 1; step <= steps; step++) {
                apply(engine, seed, step);
                disk.mark(new Done(step));
                if (step % 25 == 0) {
                    engine.checkpoint();
                }
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
            apply(engine, seed, step + 1);
            image.disk().mark(new Done(step + 1));
            assertThat(content(engine)).isEqualTo(model(seed, step + 1));
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
                + (report.recordsSkipped() > 0 ? "skipped " : "")
                + (report.pagesRepaired() > 0 ? "repaired" : "")
                + (report.pagesDamaged() > 0 ? "damaged" : "");
    }

    /** Each step writes its number into the first table, with all else that it does. */
    private static int stepOf(Engine engine) {
        if (!engine.tables().contains("steps")) {
            return 0;
        }
        Table steps = engine.table("steps");
        byte[] step = engine.read(snapshot -> snapshot.get(steps, new byte[0]));
        return step == null ? 0 : Integer.parseInt(new String(step, UTF_8));
    }

    /**
     * One step: a transaction over two tables, one of them in a space of its own; values of all
     * sizes; every now and then a table is dropped, which a crash may show before the step's
     * number.
     */
    private static void apply(Engine engine, long seed, int step) {
        SeededRandom random = new SeededRandom(seed).derive(step);
        Table steps = engine.table("steps");
        Table own = engine.table("own", TableOptions.ownSpace());
        int changes = 1 + random.nextInt(12);
        engine.write(
                transaction -> {
                    for (int i = 0; i < changes; i++) {
                        byte[] key = key(random.nextInt(200));
                        if (random.nextInt(4) == 0) {
                            transaction.delete(own, key);
                        } else {
                            transaction.put(own, key, value(random, step));
                        }
                    }
                    transaction.put(steps, new byte[0], Integer.toString(step).getBytes(UTF_8));
                    return null;
                });
    }

    private static byte[] key(int number) {
        return String.format("key-%05d", number).getBytes(UTF_8);
    }

    private static byte[] value(SeededRandom random, int step) {
        int kind = random.nextInt(20);
        int length = kind == 0 ? 20_000 : kind < 4 ? 900 + random.nextInt(400) : kind;
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) step);
        return value;
    }

    private static SortedMap<String, ByteBuffer> model(long seed, int steps) {
        SortedMap<String, ByteBuffer> rows = new TreeMap<>();
        for (int step = 1; step <= steps; step++) {
            SeededRandom random = new SeededRandom(seed).derive(step);
            int changes = 1 + random.nextInt(12);
            for (int i = 0; i < changes; i++) {
                String key = new String(key(random.nextInt(200)), UTF_8);
                if (random.nextInt(4) == 0) {
                    rows.remove(key);
                } else {
                    rows.put(key, ByteBuffer.wrap(value(random, step)));
                }
            }
        }
        return rows;
    }

    private static SortedMap<String, ByteBuffer> content(Engine engine) {
        if (!engine.tables().contains("own")) {
            return new TreeMap<>();
        }
        Table own = engine.table("own", TableOptions.ownSpace());
        return engine.read(
                snapshot -> {
                    SortedMap<String, ByteBuffer> rows = new TreeMap<>();
                    try (Cursor cursor = snapshot.cursor(own, Range.all())) {
                        while (cursor.next()) {
                            rows.put(
                                    new String(cursor.key(), UTF_8),
                                    ByteBuffer.wrap(cursor.value()));
                        }
                    }
                    return rows;
                });
    }
}
