// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.CloseMode;
import dev.holdfast.DiskFullException;
import dev.holdfast.Engine;
import dev.holdfast.EngineFailedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.Range;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk without room, at every place where the engine asks for some. If this failed, a full disk
 * would do more than refuse the statement that needs room: lose or damage something, hold up others
 * for good, or need the engine to be opened again.
 */
@ExtendWith(VerifyAfterTest.class)
final class DiskFullTest {
    private static final int VALUE_BYTES = 300;
    private static final long LIMIT_NANOS = Duration.ofSeconds(30).toNanos();
    private static final EngineOptions OPTIONS = TestEngines.small().build();
    private static final EngineOptions FAST = TestEngines.small().closeMode(CloseMode.FAST).build();

    private SimulatedDisk disk = SimulatedDisk.create();

    @AfterEach
    void giveRoom() {
        disk.unlimitCapacity();
        disk.faults().clear();
    }

    @Test
    void givenAnyRoomThatIsTooLittle_whenAStoreIsCreated_thenNothingIsLeftAndRoomMakesIt(
            TestEngines engines) throws IOException {
        Engine whole = engines.open(disk, OPTIONS);
        whole.close();
        long needed = disk.usedBytes();

        for (long room = 0; room < needed; room += needed / 23) {
            SimulatedDisk small = SimulatedDisk.create();
            small.limitCapacity(room);

            assertThatThrownBy(() -> EngineAssembly.open(small.directory(), OPTIONS))
                    .as("room=" + room)
                    .isInstanceOf(DiskFullException.class);
            assertThat(small.usedBytes()).as("room=" + room).isZero();
            assertThat(small.openFiles()).isEmpty();
            assertThat(small.isLocked()).isFalse();

            small.unlimitCapacity();
            Engine engine = engines.open(small, OPTIONS);
            put(engine, "t", 0, 1);
            engine.close();
        }
    }

    @Test
    void givenACrashedStore_whenOpenedOnAFullDisk_thenItRecoversAndServes(TestEngines engines) {
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 400);
        Transaction loser = engine.begin();
        for (int i = 0; i < 200; i++) {
            loser.put(engine.table("t"), key(i), new byte[1]);
        }
        engine.checkpoint();
        put(engine, "t", 400, 450);
        engines.unverified(engine);
        SimulatedDisk crashed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        crashed.limitCapacity(0);

        Engine again = engines.open(crashed, OPTIONS);
        awaitCount(again, Counter.LOSERS_ROLLED_BACK, 1);

        assertThat(length(again, "t", 449)).isEqualTo(VALUE_BYTES);
        assertThat(length(again, "t", 0)).isEqualTo(VALUE_BYTES);
        assertThat(again.state()).isEqualTo(EngineState.OPEN);
        crashed.unlimitCapacity();
    }

    @ParameterizedTest
    @ValueSource(strings = {"doublewrite/0.hfd", "redo larger"})
    void givenAFileThatAnOpenMakes_whenTheDiskIsFull_thenItIsSaidAndALaterOpenSucceeds(
            String what, TestEngines engines) throws IOException {
        disk.stopRecording();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 100);
        engine.close();
        EngineOptions options = OPTIONS;
        if (what.equals("redo larger")) {
            options = OPTIONS.toBuilder().redoCapacityBytes(4 << 20).build();
        } else {
            disk.directory().delete(what);
        }
        EngineOptions wanted = options;
        disk.limitCapacity(disk.usedBytes());

        for (int tries = 0; tries < 2; tries++) {
            assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), wanted))
                    .isInstanceOf(DiskFullException.class);
            assertThat(disk.openFiles()).isEmpty();
            assertThat(disk.isLocked()).isFalse();
        }

        disk.unlimitCapacity();
        assertThat(length(engines.open(disk, wanted), "t", 99)).isEqualTo(VALUE_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {Fault.NO_SPACE, Fault.NO_QUOTA, Fault.FILE_TOO_LARGE})
    void givenATableThatCannotGrow_whenWritten_thenTheRestGoesOnAndRoomIsUsedWithoutReopening(
            String reason, TestEngines engines) {
        disk.stopRecording();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 100);
        long end = disk.usedBytes() * 4;
        fault("main.hfs", reason, end);

        int rows = fillUntilFull(engine, "t", 100);
        Table table = engine.table("t");

        assertThat(length(engine, "t", rows - 1)).isEqualTo(VALUE_BYTES);
        assertThat(contains(engine, "t", rows)).as("a part of the refused row").isFalse();
        for (int round = 0; round < 3; round++) {
            change(engine, table, 0, 100, (byte) round);
            engine.checkpoint();
        }
        Transaction refused = engine.begin();
        refused.put(table, key(0), new byte[1]);
        assertThatThrownBy(() -> refused.put(table, key(rows), new byte[8 << 20]))
                .isInstanceOf(DiskFullException.class)
                .hasMessageContaining("main.hfs");
        refused.put(table, key(1), new byte[2]);
        refused.commit();
        assertThat(length(engine, "t", 0)).isEqualTo(1);
        assertThat(length(engine, "t", 1)).isEqualTo(2);
        try (Transaction given = engine.begin()) {
            given.deleteRange(table, Range.all());
        }
        assertThat(length(engine, "t", rows - 1)).isEqualTo(VALUE_BYTES);
        assertThat(count(engine, Counter.SPACE_GROWTH_REFUSED)).isPositive();
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);

        disk.faults().clear();
        put(engine, "t", rows, rows + 200);
        assertThat(length(engine, "t", rows + 199)).isEqualTo(VALUE_BYTES);
    }

    @Test
    void givenAFullDisk_whenRowsAreDeleted_thenPurgeMakesRoomInTheFile(TestEngines engines) {
        disk.stopRecording();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 100);
        disk.limitCapacity(disk.usedBytes() + (512 << 10));
        int rows = fillUntilFull(engine, "t", 100);
        Table table = engine.table("t");

        for (int from = 0; from < rows; from += 50) {
            Range part = Range.closedOpen(key(from), key(Math.min(rows, from + 50)));
            engine.write(transaction -> transaction.deleteRange(table, part));
        }
        awaitCount(engine, Counter.ROWS_PURGED, rows - 100);

        // Purge has freed leaves by now, or does so when the rest has passed: then there is room.
        awaitRoom(engine, "t", 0, rows / 2);
        assertThat(length(engine, "t", rows / 2 - 1)).isEqualTo(VALUE_BYTES);
    }

    @Test
    void givenUndoThatCannotGrow_whenRowsChange_thenTheStatementIsRefusedAndRollbackWorks(
            TestEngines engines) throws IOException {
        disk.stopRecording();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 500);
        Table table = engine.table("t");
        for (String undo : new String[] {"undo-2.hfs", "undo-3.hfs"}) {
            fault(undo, Fault.NO_SPACE, disk.contents(undo).length);
        }
        Transaction one = engine.begin();

        Throwable thrown =
                catchThrowable(
                        () -> {
                            for (int i = 0; i < 100_000; i++) {
                                one.put(table, key(i % 500), new byte[VALUE_BYTES - 1]);
                            }
                        });

        assertThat(thrown).isInstanceOf(DiskFullException.class).hasMessageContaining("undo-");
        assertThat(length(engine, "t", 0)).isEqualTo(VALUE_BYTES);
        one.rollback();
        assertThat(length(engine, "t", 0)).isEqualTo(VALUE_BYTES);
        engine.checkpoint();
        change(engine, table, 0, 10, (byte) 1);
        disk.faults().clear();
        change(engine, table, 0, 500, (byte) 2);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
    }

    @Test
    void givenARollbackThatNeedsMoreThanTheReserve_whenThereIsRoom_thenItEnds(TestEngines engines)
            throws IOException {
        disk.stopRecording();
        EngineOptions options =
                TestEngines.small().poolBytes(2 << 20).redoCapacityBytes(4 << 20).build();
        Engine engine = engines.open(disk, options);
        int rows = 2200;
        putEach(engine, rows, "", new byte[900]);
        Table table = engine.table("t");
        Transaction one = engine.begin();
        for (int i = 0; i < rows; i++) {
            one.put(table, key(i), new byte[1]);
        }
        // Others take the room in the leaves; so each of them splits when the long rows come back.
        putEach(engine, rows, "-between", new byte[500]);
        fault("main.hfs", Fault.NO_SPACE, disk.contents("main.hfs").length);
        assertThatThrownBy(() -> putEach(engine, 10_000, "-filler", new byte[1000]))
                .isInstanceOf(DiskFullException.class);
        fillUntilFull(engine, "t", 100_000);

        one.rollback();

        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        assertThat(count(engine, Counter.ROLLBACKS_LEFT)).isEqualTo(1);
        assertThat(EngineProbe.losersLeft(engine)).isEqualTo(1);
        assertThat(length(engine, "t", 0)).isEqualTo(900);
        assertThat(length(engine, "t", rows - 1)).isEqualTo(900);
        assertThat(engine.status()).contains("disk is full");

        disk.faults().clear();
        awaitCount(engine, Counter.LOSERS_ROLLED_BACK, 1);
        assertThat(EngineProbe.losersLeft(engine)).isZero();
        change(engine, table, 0, rows, (byte) 1);
        awaitStatusWithoutFull(engine);
    }

    private static void putEach(Engine engine, int rows, String suffix, byte[] value) {
        Table table = engine.table("t");
        for (int from = 0; from < rows; from += 100) {
            int first = from;
            engine.write(
                    transaction -> {
                        for (int i = first; i < first + 100; i++) {
                            byte[] key = (new String(key(i), UTF_8) + suffix).getBytes(UTF_8);
                            transaction.put(table, key, value);
                        }
                        return null;
                    });
        }
    }

    @Test
    void givenAFullDisk_whenATableWithAFileOfItsOwnIsMade_thenThereIsNothingOfItAndLaterThereIs(
            TestEngines engines) throws IOException {
        disk.stopRecording();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 10);
        disk.limitCapacity(disk.usedBytes() + (16 << 10));

        assertThatThrownBy(() -> engine.table("own", TableOptions.ownSpace()))
                .isInstanceOf(DiskFullException.class);

        assertThat(engine.tables()).containsExactly("t");
        assertThat(disk.directory().list("")).noneMatch(name -> name.startsWith("space-"));
        put(engine, "t", 0, 10);
        disk.unlimitCapacity();
        engine.table("own", TableOptions.ownSpace());
        put(engine, "own", 0, 10);
        assertThat(length(engine, "own", 9)).isEqualTo(VALUE_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "doublewrite/*"})
    void givenAPageThatCannotBeWrittenForWantOfRoom_whenThereIsRoom_thenAllGoesOn(
            String file, TestEngines engines) throws Exception {
        disk.stopRecording();
        EngineOptions options =
                TestEngines.small()
                        .poolBytes(8 << 20)
                        .logSpaceTimeout(Duration.ofMillis(200))
                        .build();
        Engine engine = engines.open(disk, options);
        put(engine, "t", 0, 1000);
        engine.checkpoint();
        Table table = engine.table("t");
        disk.faults().add(Fault.on(Operation.WRITE, file).sticky().error(Fault.NO_SPACE));

        Throwable thrown =
                catchThrowable(
                        () -> {
                            for (int i = 0; i < 100_000; i++) {
                                change(engine, table, i % 1000, i % 1000 + 1, (byte) i);
                            }
                        });

        assertThat(thrown).isInstanceOf(DiskFullException.class);
        assertThat(length(engine, "t", 500)).isPositive();
        assertThat(engine.status()).contains("state=OPEN").contains("disk is full");
        awaitCount(engine, Counter.PAGE_WRITE_FAILURES, 4);

        disk.faults().clear();
        awaitRoom(engine, "t", 0, 100);
        engine.checkpoint();
        // An agent that was refused looks again after a pause.
        awaitStatusWithoutFull(engine);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
    }

    @Test
    void givenACheckpointRecordThatFindsNoRoom_whenThereIsRoom_thenTheNextOneIsWritten(
            TestEngines engines) {
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 100);
        Fault full = Fault.on(Operation.WRITE, "checkpoint").sticky().error(Fault.NO_SPACE);
        disk.faults().add(full);

        assertThatThrownBy(engine::checkpoint)
                .isInstanceOf(DiskFullException.class)
                .hasMessageContaining("checkpoint");

        put(engine, "t", 100, 200);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        assertThat(count(engine, Counter.CHECKPOINTS_REFUSED)).isPositive();
        SimulatedDisk crashed = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        assertThat(length(engines.open(crashed, OPTIONS), "t", 199)).isEqualTo(VALUE_BYTES);
        disk.faults().clear();
        engine.checkpoint();
        awaitStatusWithoutFull(engine);
    }

    @Test
    void givenPagesThatFindNoRoom_whenClosed_thenItEndsInTimeAndNothingIsLost(TestEngines engines) {
        disk.stopRecording();
        EngineOptions options = TestEngines.small().closeTimeout(Duration.ofMillis(100)).build();
        Engine engine = engines.open(disk, options);
        put(engine, "t", 0, 100);
        disk.faults().add(Fault.on(Operation.WRITE, "main.hfs").sticky().error(Fault.NO_SPACE));

        long began = System.nanoTime();
        assertThatThrownBy(engine::close).isInstanceOf(EngineFailedException.class);

        assertThat(System.nanoTime() - began).isLessThan(LIMIT_NANOS);
        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
        disk.faults().clear();
        assertThat(length(engines.open(disk, options), "t", 99)).isEqualTo(VALUE_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redo/*", "main.hfs", "doublewrite/*", "checkpoint"})
    void givenAThinDevice_whenASyncFindsNoRoom_thenTheEngineFailsAndNothingIsLost(
            String file, TestEngines engines) {
        disk.stopRecording();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine, "t", 0, 100);
        disk.faults().add(Fault.on(Operation.SYNC, file).error(Fault.NO_SPACE));

        assertThatThrownBy(
                        () -> {
                            put(engine, "t", 100, 110);
                            engine.checkpoint();
                        })
                .isInstanceOf(EngineFailedException.class);

        assertThat(engine.state()).isEqualTo(EngineState.FAILED);
        engine.close();
        assertThat(length(engines.open(disk, OPTIONS), "t", 99)).isEqualTo(VALUE_BYTES);
    }

    @Test
    void givenALogWriteThatFindsNoRoom_whenCommitting_thenTheOutcomeIsUnknown(TestEngines engines) {
        disk.stopRecording();
        Engine engine = engines.open(disk, FAST);
        put(engine, "t", 0, 100);
        disk.faults().add(Fault.on(Operation.WRITE, "redo/*").error(Fault.NO_SPACE));

        Throwable thrown = catchThrowable(() -> put(engine, "t", 100, 110));

        assertThat(thrown).isInstanceOf(EngineFailedException.class);
        assertThat(((EngineFailedException) thrown).isOutcomeUnknown()).isTrue();
        engine.close();
        assertThat(length(engines.open(disk, FAST), "t", 99)).isEqualTo(VALUE_BYTES);
    }

    /** Writes behind that place of the file fail. */
    private void fault(String file, String reason, long from) {
        disk.faults()
                .add(
                        Fault.on(Operation.WRITE, file)
                                .range(from, Long.MAX_VALUE)
                                .sticky()
                                .error(reason, Fault.Arrival.SOME));
    }

    /** Returns the first row that did not go in. */
    private static int fillUntilFull(Engine engine, String name, int from) {
        for (int row = from; ; row++) {
            try {
                put(engine, name, row, row + 1);
            } catch (DiskFullException full) {
                return row;
            }
        }
    }

    private static void awaitStatusWithoutFull(Engine engine) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (engine.status().contains("disk is full")) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static void awaitRoom(Engine engine, String name, int from, int to) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        for (int row = from; row < to; ) {
            try {
                put(engine, name, row, row + 1);
                row++;
            } catch (DiskFullException full) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
    }

    private static void put(Engine engine, String name, int from, int to) {
        Table table = engine.table(name);
        engine.write(
                transaction -> {
                    for (int i = from; i < to; i++) {
                        transaction.put(table, key(i), new byte[VALUE_BYTES]);
                    }
                    return null;
                });
    }

    private static void change(Engine engine, Table table, int from, int to, byte mark) {
        byte[] value = new byte[VALUE_BYTES];
        value[0] = mark;
        engine.write(
                transaction -> {
                    for (int i = from; i < to; i++) {
                        transaction.put(table, key(i), value);
                    }
                    return null;
                });
    }

    private static void awaitCount(Engine engine, Counter counter, long atLeast) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (count(engine, counter) < atLeast) {
            assertThat(System.nanoTime()).as(counter.name()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static long count(Engine engine, Counter counter) {
        return EngineProbe.counters(engine).sum(counter);
    }

    private static boolean contains(Engine engine, String name, int row) {
        return engine.read(s -> s.contains(engine.table(name), key(row)));
    }

    private static int length(Engine engine, String name, int row) {
        return engine.read(s -> s.get(engine.table(name), key(row)).length);
    }

    private static byte[] key(int i) {
        return String.format("key-%06d", i).getBytes(UTF_8);
    }
}
