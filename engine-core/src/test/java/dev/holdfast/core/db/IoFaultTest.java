// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.CloseMode;
import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.EngineException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.Snapshot;
import dev.holdfast.StorageException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.VerifyReport;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.io.sim.SyncOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One request to the disk that fails, at many places of a run, and what may come of it. If this
 * failed, an error of the device would lose an acknowledged commit, be passed over, or end more
 * than it must.
 */
@ExtendWith({VerifyAfterTest.class, SeedExtension.class})
@Timeout(120)
final class IoFaultTest {
    private static final int STEPS = 40;
    private static final int[] ORDINALS = {1, 2, 5, 11};
    private static final EngineOptions OPTIONS =
            TestEngines.small().closeMode(CloseMode.FAST).build();

    private final SimulatedDisk disk = SimulatedDisk.create();

    @AfterEach
    void heal() {
        disk.faults().clear();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"redo/*", "main.hfs", "undo-*", "space-*", "doublewrite/*", "checkpoint"})
    void givenASyncThatFails_whenAnyIsTheOne_thenTheEngineFailsAndNothingIsLost(
            String file, TestEngines engines) {
        int seen = 0;
        for (int ordinal : ORDINALS) {
            for (SyncOutcome outcome : List.of(SyncOutcome.NEVER_DURABLE, SyncOutcome.REVERTED)) {
                Fault fault = Fault.on(Operation.SYNC, file).nth(ordinal).sync(outcome);
                seen += failsAndLosesNothing(fault, engines) ? 1 : 0;
            }
        }

        assertThat(seen).as("faults that came to pass").isGreaterThan(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redo/*", "checkpoint"})
    void givenAWriteThatFails_whenItIsOfTheLog_thenTheEngineFailsAndNothingIsLost(
            String file, TestEngines engines) {
        int seen = 0;
        for (int ordinal : ORDINALS) {
            for (Fault.Arrival arrival : Fault.Arrival.values()) {
                Fault fault = Fault.on(Operation.WRITE, file).nth(ordinal);
                fault.error(Fault.IO_ERROR, arrival);
                seen += failsAndLosesNothing(fault, engines) ? 1 : 0;
            }
        }

        assertThat(seen).as("faults that came to pass").isGreaterThan(5);
    }

    /** Returns whether the fault came to pass. */
    private static boolean failsAndLosesNothing(Fault fault, TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, OPTIONS);
        FaultGame game = new FaultGame(STEPS);
        game.begin(engine);
        disk.faults().add(fault);

        EngineException end = game.run(engine);
        boolean acted = fault.acted() > 0;

        if (acted) {
            // Work in the background may have met it; then the next call is told.
            awaitFailed(engine, fault);
            assertThat(end == null ? failureOf(engine) : end)
                    .as(fault.toString())
                    .isInstanceOf(EngineFailedException.class);
            assertThat(engine.status()).contains("state=FAILED").contains("failure=");
            int syncs = syncsOf(engine);
            assertThatThrownBy(() -> engine.table("shared"))
                    .isInstanceOf(EngineFailedException.class);
            assertThat(syncsOf(engine)).as("a failed sync is not tried again").isEqualTo(syncs);
        }
        SimulatedDisk powerless = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        closeWhateverItSays(engine);
        assertThat(disk.openFiles()).as(fault.toString()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
        disk.faults().clear();
        for (SimulatedDisk left : List.of(powerless, killed, disk)) {
            Engine again = engines.open(left, OPTIONS);
            game.check(again);
            again.close();
        }
        return acted;
    }

    private static void closeWhateverItSays(Engine engine) {
        try {
            engine.close();
        } catch (EngineFailedException toldBefore) {
            // It failed between its last call and this one.
        }
    }

    private static int syncsOf(Engine engine) {
        return (int) EngineProbe.counters(engine).sum(Counter.LOG_SYNCS);
    }

    private static Throwable failureOf(Engine engine) {
        return catchThrowable(engine::checkpoint);
    }

    private static void awaitFailed(Engine engine, Fault fault) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (engine.state() != EngineState.FAILED) {
            assertThat(System.nanoTime()).as(fault.toString()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "undo-*", "space-*", "doublewrite/*"})
    void givenAPageWriteThatFailsTwice_whenAnyIsTheOne_thenOnlyTheCounterTells(
            String file, TestEngines engines) {
        int seen = 0;
        for (int ordinal : ORDINALS) {
            SimulatedDisk target = SimulatedDisk.create();
            Engine engine = engines.open(target, OPTIONS);
            FaultGame game = new FaultGame(STEPS);
            game.begin(engine);
            Fault fault = Fault.on(Operation.WRITE, file).nth(ordinal).times(2);
            fault.error(Fault.IO_ERROR, Fault.Arrival.SOME);
            target.faults().add(fault);

            EngineException end = game.run(engine);
            // However little the cleaner has had time for, now the pages are written.
            engine.checkpoint();

            assertThat(end).as(fault.toString()).isNull();
            assertThat(engine.state()).isEqualTo(EngineState.OPEN);
            seen += count(engine, Counter.PAGE_WRITE_FAILURES) > 0 ? 1 : 0;
            target.faults().clear();
            game.check(engine);
            SimulatedDisk powerless = target.crash(CrashMode.NOTHING_PENDING, 0).disk();
            engine.close();
            game.check(engines.open(powerless, OPTIONS));
        }

        assertThat(seen).as("faults that came to pass").isGreaterThan(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "undo-*", "space-*", "doublewrite/*"})
    void givenAPageWriteThatGoesOnFailing_whenTriedThreeTimes_thenTheEngineFails(
            String file, TestEngines engines) {
        Engine engine = engines.open(disk, OPTIONS);
        FaultGame game = new FaultGame(STEPS);
        game.begin(engine);
        Fault fault = Fault.on(Operation.WRITE, file).sticky().error(Fault.READ_ONLY);
        disk.faults().add(fault);

        EngineException end = game.run(engine);

        assertThat(end).isInstanceOf(EngineFailedException.class);
        assertThat(count(engine, Counter.PAGE_WRITE_FAILURES)).isGreaterThanOrEqualTo(3);
        engine.close();
        disk.faults().clear();
        game.check(engines.open(disk, OPTIONS));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void givenTheNamesThatCannotBeSynced_whenATableComesOrGoes_thenTheEngineFails(
            boolean comes, TestEngines engines) {
        Engine engine = engines.open(disk, OPTIONS);
        makeTables(engine);
        disk.faults().add(Fault.on(Operation.SYNC_DIRECTORY, "").error(Fault.IO_ERROR));

        assertThatThrownBy(
                        () -> {
                            if (comes) {
                                engine.table("other", TableOptions.ownSpace());
                            } else {
                                engine.dropTable("own");
                            }
                        })
                .isInstanceOf(EngineFailedException.class);

        assertThat(engine.state()).isEqualTo(EngineState.FAILED);
        SimulatedDisk powerless = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        engine.close();
        for (SimulatedDisk left : List.of(powerless, disk)) {
            Engine again = engines.open(left, OPTIONS);
            assertThat(length(again, again.table("shared"), 299)).isEqualTo(100);
            assertThat(again.tables()).doesNotContain(comes ? "other" : "own");
            again.close();
        }
    }

    @Test
    void givenATableThatFindsNoRoom_whenItsNameCannotBeTakenBackForGood_thenTheEngineFails(
            TestEngines engines) {
        Engine engine = engines.open(disk, OPTIONS);
        makeTables(engine);
        disk.faults().add(Fault.on(Operation.WRITE, "space-17.hfs").error(Fault.NO_SPACE));
        disk.faults().add(Fault.on(Operation.SYNC_DIRECTORY, "").error(Fault.IO_ERROR));

        assertThatThrownBy(() -> engine.table("other", TableOptions.ownSpace()))
                .isInstanceOf(EngineFailedException.class);

        assertThat(engine.state()).isEqualTo(EngineState.FAILED);
        disk.faults().requireActed();
        engine.close();
        disk.faults().clear();
        Engine again = engines.open(disk, OPTIONS);
        assertThat(length(again, again.table("shared"), 299)).isEqualTo(100);
        assertThat(again.tables()).doesNotContain("other");
    }

    @Test
    void givenManyThatWaitForTheLog_whenItsSyncFails_thenAllAreToldAndNoneHangs(TestEngines engines)
            throws Exception {
        Engine engine = engines.open(disk, OPTIONS);
        Table table = engine.table("t");
        Fault stuck = Fault.on(Operation.SYNC, "redo/*").stuck();
        disk.faults().add(stuck);
        disk.faults().add(Fault.on(Operation.SYNC, "redo/*").nth(2).sticky().error(Fault.IO_ERROR));
        List<Thread> threads = new ArrayList<>();
        List<AtomicReference<Throwable>> ends = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            byte[] key = key(i);
            AtomicReference<Throwable> end = new AtomicReference<>();
            ends.add(end);
            threads.add(start(end, () -> endlessly(engine, table, key)));
        }
        awaitCount(engine, Counter.LOG_DURABILITY_WAITS, 8);

        stuck.release();
        for (Thread thread : threads) {
            thread.join();
        }

        for (AtomicReference<Throwable> end : ends) {
            assertThat(end.get()).isInstanceOf(EngineFailedException.class);
        }
        assertThat(ends).anyMatch(end -> ((EngineFailedException) end.get()).isOutcomeUnknown());
        assertThat(engine.state()).isEqualTo(EngineState.FAILED);
    }

    @Test
    void givenOneWhoWaitsForTheFileToGrow_whenTheEngineFails_thenHeIsTold(TestEngines engines)
            throws Exception {
        // Frames and log for all that is written: nothing but the file is waited for.
        EngineOptions roomy =
                OPTIONS.toBuilder().poolBytes(2048L * 4096).redoCapacityBytes(32 << 20).build();
        Engine engine = engines.open(disk, roomy);
        Table table = engine.table("t");
        Table other = engine.table("other");
        Fault stuck = Fault.on(Operation.WRITE, "main.hfs").range(1 << 20, Long.MAX_VALUE);
        disk.faults().add(stuck.sticky().stuck());
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread grower = start(end, () -> fill(engine, table, 0, 20_000));
        awaitCount(engine, Counter.SPACE_GROWTH_WAITS, 1);
        while (stuck.acted() == 0) {
            Thread.onSpinWait();
        }

        disk.faults().add(Fault.on(Operation.SYNC, "redo/*").sticky().error(Fault.IO_ERROR));
        assertThatThrownBy(() -> fill(engine, other, 0, 1))
                .isInstanceOf(EngineFailedException.class);
        grower.join();

        assertThat(end.get()).isInstanceOf(EngineFailedException.class);
        stuck.release();
    }

    @Test
    void givenAPageThatCannotBeRead_whenWanted_thenTheStatementIsToldAndTheRestGoesOn(
            TestEngines engines) {
        Engine engine = closedAndOpened(engines);
        Fault bad = Fault.on(Operation.READ, "space-16.hfs").sticky().error(Fault.IO_ERROR);
        disk.faults().add(bad);
        Table own = engine.table("own", TableOptions.ownSpace());
        Table shared = engine.table("shared");

        assertThatThrownBy(() -> engine.read(s -> s.get(own, key(1))))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("space-16.hfs")
                .hasMessageContaining(Fault.IO_ERROR)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> fill(engine, own, 1, 2)).isInstanceOf(CorruptionException.class);
        fill(engine, shared, 0, 10);
        assertThat(length(engine, shared, 5)).isEqualTo(100);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);

        disk.faults().clear();
        assertThat(length(engine, own, 1)).isEqualTo(100);
        fill(engine, own, 1, 2);
    }

    @Test
    void givenAReadThatFailsThreeTimes_whenWanted_thenOnlyTheCounterTells(TestEngines engines) {
        Engine engine = closedAndOpened(engines);
        Fault bad = Fault.on(Operation.READ, "space-16.hfs").times(3).error(Fault.IO_ERROR);
        disk.faults().add(bad);
        Table own = engine.table("own", TableOptions.ownSpace());

        assertThat(length(engine, own, 1)).isEqualTo(100);

        assertThat(count(engine, Counter.PAGE_READ_RETRIES)).isEqualTo(3);
        assertThat(count(engine, Counter.PAGES_CORRUPT)).isZero();
    }

    @Test
    void givenPagesThatCannotBeRead_whenPurgeNeedsThem_thenItGoesRoundThem(TestEngines engines)
            throws IOException {
        Engine engine = closedAndOpened(engines);
        Table own = engine.table("own", TableOptions.ownSpace());
        SimulatedDisk killed;
        try (Snapshot old = engine.snapshot()) {
            assertThat(old.contains(own, key(0))).isTrue();
            engine.write(
                    transaction -> {
                        transaction.delete(own, key(0));
                        transaction.delete(own, key(299));
                        return null;
                    });
            engine.checkpoint();
            killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        }
        Engine again = engines.open(killed, OPTIONS);
        killed.faults()
                .add(Fault.on(Operation.READ, "space-16.hfs").sticky().error(Fault.IO_ERROR));
        Table shared = again.table("shared");
        fill(again, shared, 0, 300);
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (count(again, Counter.PURGE_DAMAGE_SKIPPED) == 0
                && count(again, Counter.ROWS_PURGED) < 2) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }

        fill(again, shared, 0, 10);
        assertThat(again.state()).isEqualTo(EngineState.OPEN);
        killed.faults().clear();
    }

    @Test
    void givenTransfersInParts_whenTheGameIsPlayed_thenNothingIsDifferent(
            TestEngines engines, SeededRandom random) {
        disk.faults().splitTransfers(random);
        Engine engine = engines.open(disk, OPTIONS);
        FaultGame game = new FaultGame(STEPS);
        game.begin(engine);

        assertThat(game.run(engine)).isNull();

        engine.close();
        game.check(engines.open(disk, OPTIONS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE main.hfs", "SYNC main.hfs", "WRITE doublewrite/*"})
    void givenADeviceThatIsStuckInAPageWrite_whenUsed_thenOnlyCloseIsHeldUpAndNotForGood(
            String where, TestEngines engines) {
        EngineOptions options = TestEngines.small().closeTimeout(Duration.ofMillis(100)).build();
        Engine engine = engines.open(disk, options);
        Table table = engine.table("t");
        fill(engine, table, 0, 100);
        engines.unverified(engine);
        String[] words = where.split(" ", -1);
        Fault stuck = Fault.on(Operation.valueOf(words[0]), words[1]).sticky().stuck();
        disk.faults().add(stuck);
        Thread checkpointer = start(new AtomicReference<>(), engine::checkpoint);
        while (stuck.acted() == 0) {
            Thread.onSpinWait();
        }

        fill(engine, table, 0, 20);
        assertThat(length(engine, table, 5)).isEqualTo(100);
        assertThat(engine.status()).contains("state=OPEN");
        long began = System.nanoTime();
        assertThatThrownBy(engine::close).isInstanceOf(StorageException.class);
        assertThat(System.nanoTime() - began).isLessThan(Duration.ofSeconds(20).toNanos());
        assertThat(disk.isLocked()).as("a write is on its way").isTrue();

        disk.faults().clear();
        join(checkpointer);
        awaitNoThreads();
    }

    @Test
    void givenAReadThatIsStuck_whenOthersWork_thenTheyGoOnAndCloseEndsInTime(TestEngines engines)
            throws Exception {
        EngineOptions options =
                TestEngines.small()
                        .closeTimeout(Duration.ofMillis(100))
                        .waitWatchdog(Duration.ofMillis(5))
                        .build();
        Engine before = engines.open(disk, options);
        makeTables(before);
        before.close();
        Engine engine = engines.open(disk, options);
        engines.unverified(engine);
        Table own = engine.table("own", TableOptions.ownSpace());
        Table shared = engine.table("shared");
        Fault stuck = Fault.on(Operation.READ, "space-16.hfs").sticky().stuck();
        disk.faults().add(stuck);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread reader = start(end, () -> engine.read(s -> s.get(own, key(1))));
        while (stuck.acted() == 0) {
            Thread.onSpinWait();
        }
        Thread second = start(new AtomicReference<>(), () -> engine.read(s -> s.get(own, key(1))));

        fill(engine, shared, 0, 20);
        assertThat(length(engine, shared, 5)).isEqualTo(100);
        // The second reader waits for the page that the first is reading; the watch tells of it.
        awaitCount(engine, Counter.LONG_WAITS, 1);
        assertThatThrownBy(engine::close).isInstanceOf(StorageException.class);

        disk.faults().clear();
        reader.join();
        second.join();
        awaitNoThreads();
    }

    @Test
    void givenADataFileThatIsCutUnderTheEngine_whenItsPagesAreWanted_thenThatIsDamage(
            TestEngines engines) throws IOException {
        Engine engine = closedAndOpened(engines);
        engines.unverified(engine);
        try (StorageFile file = disk.directory().open("space-16.hfs")) {
            file.truncate(4096 * 3);
        }
        Table own = engine.table("own", TableOptions.ownSpace());
        Table shared = engine.table("shared");

        assertThatThrownBy(() -> engine.read(s -> s.get(own, key(200))))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("space-16.hfs")
                .hasMessageContaining("end of the file");
        fill(engine, shared, 0, 10);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        assertThat(engine.verify().isSound()).isFalse();
        engine.close();

        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("space-16.hfs");
    }

    @Test
    void givenADamagedAllocationMap_whenVerified_thenThatIsAFindingAndTheRestIsChecked(
            TestEngines engines) throws IOException {
        Engine before = engines.open(disk, OPTIONS.toBuilder().closeMode(CloseMode.CLEAN).build());
        makeTables(before);
        Table rows = before.table("own", TableOptions.ownSpace());
        for (int i = 0; i < 300; i++) {
            byte[] key = key(i);
            before.write(
                    transaction -> {
                        transaction.put(rows, key, new byte[2 * 4096]);
                        return null;
                    });
        }
        before.close();
        Engine engine = engines.open(disk, OPTIONS);
        engines.unverified(engine);
        // Of the second group; that of the first is read at the open.
        int mapPage = PageId.pageNumber(EngineProbe.spaces(engine).get(16).mapPageId(1));
        disk.flipBit("space-16.hfs", 4096L * mapPage + 100, 3);

        VerifyReport report = engine.verify();

        assertThat(report.toText())
                .contains("allocation map is damaged, pages of its group are not checked")
                .contains("file=space-16.hfs, space=16, page=" + mapPage);
        assertThat(report.rows()).isEqualTo(600);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        disk.flipBit("space-16.hfs", 4096L * mapPage + 100, 3);
        assertThat(engine.verify().isSound()).isTrue();
    }

    private Engine closedAndOpened(TestEngines engines) {
        Engine before = engines.open(disk, OPTIONS.toBuilder().closeMode(CloseMode.CLEAN).build());
        makeTables(before);
        before.close();
        return engines.open(disk, OPTIONS);
    }

    private static void makeTables(Engine engine) {
        fill(engine, engine.table("shared"), 0, 300);
        fill(engine, engine.table("own", TableOptions.ownSpace()), 0, 300);
    }

    private static void fill(Engine engine, Table table, int from, int to) {
        engine.write(
                transaction -> {
                    for (int i = from; i < to; i++) {
                        transaction.put(table, key(i), new byte[100]);
                    }
                    return null;
                });
    }

    private static int length(Engine engine, Table table, int row) {
        return engine.read(s -> s.get(table, key(row)).length);
    }

    private static void endlessly(Engine engine, Table table, byte[] key) {
        while (true) {
            engine.write(
                    transaction -> {
                        transaction.put(table, key, new byte[10]);
                        return null;
                    });
        }
    }

    private static Thread start(AtomicReference<Throwable> end, Runnable work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (Throwable thrown) {
                                end.set(thrown);
                            }
                        },
                        "test");
        thread.start();
        return thread;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitNoThreads() {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!VerifyAfterTest.threads().isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static void awaitCount(Engine engine, Counter counter, long atLeast) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (count(engine, counter) < atLeast) {
            assertThat(System.nanoTime()).as(counter.name()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static long count(Engine engine, Counter counter) {
        return EngineProbe.counters(engine).sum(counter);
    }

    private static byte[] key(int i) {
        return String.format("key-%06d", i).getBytes(UTF_8);
    }
}
