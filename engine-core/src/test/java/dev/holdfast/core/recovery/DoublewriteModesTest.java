// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ChecksumKind;
import dev.holdfast.CloseMode;
import dev.holdfast.CorruptionException;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.core.db.EngineAssembly;
import dev.holdfast.core.db.EngineProbe;
import dev.holdfast.core.db.TestEngines;
import dev.holdfast.core.db.VerifyAfterTest;
import dev.holdfast.core.dblwr.DoublewriteRecovery;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.CheckpointFile;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What each mode promises, through the API. If this failed, a user would be told of a protection
 * that there is not, or could not go from one setting to another.
 */
@ExtendWith(VerifyAfterTest.class)
final class DoublewriteModesTest {
    private static final int PAGE_BYTES = 4096;
    private static final String FILE = "space-16.hfs";
    private static final int ROWS = 200;
    private static final int TYPE = PageHeader.TYPE_OFFSET;
    private static final int TRIES_MAX = 50;

    @Test
    void givenAWriteThatTheDiskLost_whenOpenedWithCopies_thenThePageIsPutBack(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = loseAWrite(engines, DoublewriteMode.ON);

        Engine engine = engines.open(disk, options(DoublewriteMode.ON).build());

        assertThat(recovered(engine).pagesRepaired()).isPositive();
        check(engine, 2);
    }

    @Test
    void givenAWriteThatTheDiskLost_whenOpenedWithEntriesAlone_thenThePageIsNamedAndNothingIsRead(
            TestEngines engines) throws IOException {
        SimulatedDisk disk = loseAWrite(engines, DoublewriteMode.DETECT_ONLY);

        for (DoublewriteMode mode : DoublewriteMode.values()) {
            CorruptionException refused =
                    catchThrowableOfType(
                            CorruptionException.class,
                            () -> EngineAssembly.open(disk.directory(), options(mode).build()));

            assertThat(refused)
                    .hasMessageContaining("write of a page was lost: file=" + FILE + ", space=16");
            assertThat(refused.pageNumber()).isPositive();
        }
        assertThat(disk.openFiles()).isEmpty();
    }

    /** Why the mode exists: without it the store opens, and rows are missing. */
    @Test
    void givenAWriteThatTheDiskLost_whenOpenedWithNothing_thenNobodyNotices(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = loseAWrite(engines, DoublewriteMode.OFF);

        Engine engine = engines.open(disk, options(DoublewriteMode.OFF).build());
        engines.unverified(engine);

        assertThat(recovered(engine).pagesDamaged()).isZero();
        assertThatThrownBy(() -> check(engine, 2)).isInstanceOf(AssertionError.class);
    }

    /**
     * A leaf is written and synced, and a checkpoint made; then the disk turns out to have kept the
     * old bytes. The store is closed with nothing left to replay.
     */
    private static SimulatedDisk loseAWrite(TestEngines engines, DoublewriteMode mode)
            throws IOException {
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            SimulatedDisk disk = SimulatedDisk.create();
            Engine engine = engines.open(disk, options(mode).build());
            Table table = engine.table("own", TableOptions.ownSpace());
            put(engine, table, 1);
            engine.checkpoint();
            byte[] before = disk.contents(FILE);
            put(engine, table, 2);
            engine.checkpoint();
            engine.close();
            engines.unverified(engine);
            byte[] after = disk.contents(FILE);
            for (int page = 4; page * PAGE_BYTES < before.length; page++) {
                int at = page * PAGE_BYTES;
                boolean changed =
                        !Arrays.equals(before, at, at + PAGE_BYTES, after, at, at + PAGE_BYTES);
                boolean counts = mode == DoublewriteMode.OFF || counts(disk, page);
                if (changed && before[at + TYPE] == PageType.LEAF && counts) {
                    disk.damage(FILE, at, Arrays.copyOfRange(before, at, at + PAGE_BYTES));
                    return disk;
                }
            }
        }
        throw new AssertionError("each time a checkpoint came behind the last page write");
    }

    /** A leaf that was damaged, and the version of the rows that were written last. */
    private record Leaf(int page, int version) {}

    /** Writes rows and damages a leaf of theirs, whose entry counts if there are any. */
    private static Leaf damageALeaf(TestEngines engines, SimulatedDisk disk, EngineOptions options)
            throws IOException {
        for (int tries = 1; tries <= TRIES_MAX; tries++) {
            Engine engine = engines.open(disk, options);
            put(engine, engine.table("own", TableOptions.ownSpace()), tries);
            engine.checkpoint();
            engine.close();
            engines.unverified(engine);
            byte[] bytes = disk.contents(FILE);
            for (int page = 4; page * PAGE_BYTES < bytes.length; page++) {
                boolean counts = options.doublewrite() == DoublewriteMode.OFF || counts(disk, page);
                if (bytes[page * PAGE_BYTES + TYPE] == PageType.LEAF && counts) {
                    disk.damage(FILE, (long) page * PAGE_BYTES + 2048, new byte[512]);
                    return new Leaf(page, tries);
                }
            }
        }
        throw new AssertionError("each time a checkpoint came behind the last page write");
    }

    /**
     * Whether there is an entry of the page that counts and tells of a durable write: not, if
     * something in the background was logged, and a checkpoint made, behind the last page write.
     */
    private static boolean counts(SimulatedDisk disk, int pageNumber) throws IOException {
        StorageDirectory directory = disk.directory();
        UUID store = StoreIdentity.readFile(directory).orElseThrow().uuid();
        try (CheckpointFile checkpoints = CheckpointFile.open(directory, store);
                var doublewrite = DoublewriteRecovery.open(directory, store, PAGE_BYTES)) {
            long checkpointLsn = checkpoints.newest().checkpointLsn();
            return doublewrite.entries().stream()
                    .anyMatch(
                            entry ->
                                    entry.pageId() == PageId.of(16, pageNumber)
                                            && entry.logLsn() >= checkpointLsn
                                            && entry.recoveryLsn() < checkpointLsn);
        }
    }

    @ParameterizedTest
    @CsvSource({"ON, 1, 0", "DETECT_ONLY, 0, 1", "OFF, 0, 0"})
    void givenAPageThatIsDamaged_whenOpened_thenEachModeDoesWhatItCan(
            DoublewriteMode mode, int repaired, int damaged, TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Leaf leaf = damageALeaf(engines, disk, options(mode).build());

        Engine again = engines.open(disk, options(mode).build());

        assertThat(recovered(again).pagesRepaired()).isEqualTo(repaired);
        assertThat(recovered(again).pagesDamaged()).isEqualTo(damaged);
        if (mode == DoublewriteMode.ON) {
            check(again, leaf.version);
        } else {
            engines.unverified(again);
            assertThatThrownBy(() -> check(again, leaf.version))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("space=16, page=" + leaf.page);
        }
    }

    @ParameterizedTest
    @EnumSource(DoublewriteMode.class)
    void givenAMode_whenRowsAreWritten_thenTheFilesHoldWhatItSays(
            DoublewriteMode mode, TestEngines engines) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, options(mode).build());

        put(engine, engine.table("own", TableOptions.ownSpace()), 1);
        engine.checkpoint();

        long batches = EngineProbe.counters(engine).sum(Counter.DOUBLEWRITE_BATCHES);
        switch (mode) {
            case ON -> {
                assertThat(batches).isPositive();
                assertThat(disk.contents("doublewrite/0.hfd")).hasSize(4096 + 64 * PAGE_BYTES);
            }
            case DETECT_ONLY -> {
                assertThat(batches).isPositive();
                assertThat(disk.contents("doublewrite/0.hfd")).hasSize(4096);
            }
            case OFF -> {
                assertThat(batches).isZero();
                assertThat(disk.directory().list("doublewrite")).isEmpty();
            }
        }
    }

    /**
     * Each open has another mode and cuts batches otherwise, and what the one before left is used.
     */
    @Test
    void givenOtherSlotsAndPagesAtEachOpen_whenKilledBetween_thenAllIsThere(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        int[] slots = {2, 8, 1, 3, 5, 1, 8};
        int[] pages = {128, 2, 1, 512, 7, 16, 4};
        DoublewriteMode[] modes = DoublewriteMode.values();
        for (int i = 0; i < slots.length; i++) {
            EngineOptions options =
                    options(modes[i % 2 == 0 ? 0 : i % modes.length])
                            .doublewriteSlots(slots[i])
                            .doublewriteBatchPages(pages[i])
                            .build();
            Engine engine = engines.open(disk, options);
            if (i > 0) {
                check(engine, i);
            }
            put(engine, engine.table("own", TableOptions.ownSpace()), i + 1);
            if (options.doublewrite() == DoublewriteMode.ON) {
                engine.checkpoint();
            }
            engines.unverified(engine);
            disk = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        }

        check(engines.open(disk, options(DoublewriteMode.ON).build()), slots.length);

        assertThat(disk.directory().list("doublewrite")).hasSize(4);
    }

    /** Three batches wait for their syncs, and a fourth does not wait for them. */
    @Test
    void givenSlotsWhoseSyncsHang_whenAnotherIsFree_thenPagesAreStillWritten(TestEngines engines)
            throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options =
                options(DoublewriteMode.ON)
                        .poolBytes(64L * PAGE_BYTES)
                        .doublewriteBatchPages(2)
                        .lockWaitTimeout(Duration.ZERO)
                        .build();
        Engine engine = engines.open(disk, options);
        Table table = engine.table("own", TableOptions.ownSpace());
        List<Fault> hangs = new ArrayList<>();
        for (int slot = 0; slot < 3; slot++) {
            Fault hang = Fault.on(Operation.SYNC, "doublewrite/" + slot + ".hfd").sticky().stuck();
            disk.faults().add(hang);
            hangs.add(hang);
        }
        AtomicBoolean stops = new AtomicBoolean();
        Thread writer =
                new Thread(
                        () -> {
                            for (int i = 1; !stops.get(); i++) {
                                put(engine, table, i);
                            }
                        });
        writer.start();

        try {
            awaitTrue(() -> hangs.stream().allMatch(hang -> hang.hits() > 0));
            long written = EngineProbe.counters(engine).sum(Counter.DOUBLEWRITE_BATCHES);
            awaitTrue(
                    () -> EngineProbe.counters(engine).sum(Counter.DOUBLEWRITE_BATCHES) > written);
        } finally {
            stops.set(true);
            hangs.forEach(Fault::release);
            writer.join();
        }
    }

    private static void awaitTrue(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("time is up").isNegative();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void givenNoDoublewriteFiles_whenOpened_thenTheyAreMadeAnew(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options = options(DoublewriteMode.ON).build();
        Engine engine = engines.open(disk, options);
        put(engine, engine.table("own", TableOptions.ownSpace()), 1);
        engine.close();
        for (String name : disk.directory().list("doublewrite")) {
            disk.directory().delete(name);
        }

        Engine again = engines.open(disk, options);

        check(again, 1);
        assertThat(disk.directory().list("doublewrite")).hasSize(4);
    }

    @Test
    void givenADoublewriteFileThatCannotBeRead_whenOpened_thenFileAndOffsetAreNamed(
            TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, options(DoublewriteMode.ON).build());
        engine.table("t");
        engine.close();
        engines.unverified(engine);
        disk.faults()
                .add(Fault.on(Operation.READ, "doublewrite/1.hfd").sticky().error(Fault.IO_ERROR));

        assertThatThrownBy(
                        () ->
                                EngineAssembly.open(
                                        disk.directory(), options(DoublewriteMode.ON).build()))
                .hasStackTraceContaining("file=doublewrite/1.hfd, offset=0");
    }

    /** Without a checksum in the page the entry's own tells that a page is torn inside. */
    @Test
    void givenPagesWithoutChecksums_whenOneIsTornInside_thenTheOpenIsRefusedByName(
            TestEngines engines) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options =
                options(DoublewriteMode.DETECT_ONLY).checksum(ChecksumKind.NONE).build();
        Leaf leaf = damageALeaf(engines, disk, options);

        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), options))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(
                        "page is torn: file=" + FILE + ", space=16, page=" + leaf.page);
    }

    private static EngineOptions.Builder options(DoublewriteMode mode) {
        return TestEngines.small()
                .poolBytes(2 << 20)
                .doublewrite(mode)
                .doublewriteSlots(4) // so that a late batch does not write over what is looked for
                .closeMode(CloseMode.FAST);
    }

    private static RecoveryReport recovered(Engine engine) {
        return EngineProbe.recovery(engine).orElseThrow();
    }

    private static void put(Engine engine, Table table, int version) {
        engine.write(
                transaction -> {
                    for (int i = 0; i < ROWS; i++) {
                        transaction.put(table, key(i), value(i, version));
                    }
                    return null;
                });
    }

    private static void check(Engine engine, int version) {
        Table table = engine.table("own", TableOptions.ownSpace());
        engine.read(
                snapshot -> {
                    for (int i = 0; i < ROWS; i++) {
                        assertThat(snapshot.get(table, key(i))).isEqualTo(value(i, version));
                    }
                    return null;
                });
    }

    private static byte[] key(int number) {
        return String.format("key-%06d", number).getBytes(UTF_8);
    }

    private static byte[] value(int number, int version) {
        return ("value-" + number + "." + version + "-".repeat(60)).getBytes(UTF_8);
    }
}
