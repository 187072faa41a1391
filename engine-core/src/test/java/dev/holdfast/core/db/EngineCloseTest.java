// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.CloseMode;
import dev.holdfast.Cursor;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.StorageException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If this failed, a close would hang, lose what was committed, leave something behind, or end a
 * call in a way that its caller does not expect (P20).
 */
@ExtendWith(VerifyAfterTest.class)
@Timeout(60)
final class EngineCloseTest {
    private static final byte[] KEY = "k".getBytes(UTF_8);
    private static final byte[] VALUE = "v".getBytes(UTF_8);

    @Test
    void givenAClosedEngine_whenUsed_thenEveryCallSaysSo(TestEngines engines) {
        Engine engine = engines.open();
        Table table = engine.table("t");
        Snapshot snapshot = engine.snapshot();
        Cursor cursor = snapshot.cursor(table, Range.all());
        Transaction transaction = engine.begin();
        engine.close();

        List<Runnable> calls =
                List.of(
                        () -> engine.table("t"),
                        engine::tables,
                        () -> engine.renameTable("t", "u"),
                        () -> engine.dropTable("t"),
                        engine::snapshot,
                        engine::begin,
                        engine::checkpoint,
                        engine::verify,
                        () -> engine.read(view -> null),
                        () -> engine.write(view -> null),
                        () -> snapshot.get(table, KEY),
                        cursor::next,
                        () -> transaction.put(table, KEY, VALUE),
                        transaction::commit);
        for (Runnable call : calls) {
            assertThatThrownBy(call::run).isInstanceOf(EngineClosedException.class);
        }
        cursor.close();
        snapshot.close();
        transaction.close();
        engine.close();
        assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
        assertThat(engine.status()).contains("state=CLOSED");
        assertThat(engine.contention().rows()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void givenAnEngine_whenClosed_thenNothingIsLeft(boolean clean, TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options =
                TestEngines.small().closeMode(clean ? CloseMode.CLEAN : CloseMode.FAST).build();
        Engine engine = engines.open(disk, options);
        fill(engine, 300);

        engine.close();

        assertThat(VerifyAfterTest.threads()).isEmpty();
        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
    }

    /** Its row has left the pool, so that it is read when the close takes it back. */
    @Test
    void givenAReadThatIsStuck_whenATransactionIsTakenBackByTheClose_thenItEndsInTime(
            TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options = TestEngines.small().closeTimeout(Duration.ofMillis(100)).build();
        Engine engine = engines.open(disk, options);
        Table own = engine.table("own", TableOptions.ownSpace());
        Transaction transaction = engine.begin();
        transaction.put(own, KEY, VALUE);
        engine.checkpoint();
        fill(engine, 10_000);
        engines.unverified(engine);
        Fault stuck = Fault.on(Operation.READ, "space-16.hfs").sticky().stuck();
        disk.faults().add(stuck);

        long began = System.nanoTime();
        assertThatThrownBy(engine::close).isInstanceOf(StorageException.class);

        assertThat(System.nanoTime() - began).isLessThan(Duration.ofSeconds(20).toNanos());
        assertThat(stuck.acted()).isPositive();
        disk.faults().clear();
        awaitNoThreads();
    }

    @Test
    void givenManyEnginesOneAfterAnother_whenClosed_thenTheirMemoryIsGivenBack() {
        EngineOptions options =
                EngineOptions.builder().poolBytes(64 << 20).redoCapacityBytes(4 << 20).build();

        for (int i = 0; i < 24; i++) {
            try (Engine engine = Engine.inMemory(options)) {
                fill(engine, 10);
            }
        }

        assertThat(VerifyAfterTest.threads()).isEmpty();
    }

    @Test
    void givenBusyThreads_whenClosed_thenTheyAreToldAndNoMore(TestEngines engines)
            throws Exception {
        Engine engine = engines.open();
        fill(engine, 500);
        Table table = engine.table("t");
        CountDownLatch busy = new CountDownLatch(4);
        List<Thread> threads = new ArrayList<>();
        List<AtomicReference<Throwable>> ends = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            AtomicReference<Throwable> end = new AtomicReference<>();
            ends.add(end);
            threads.add(
                    start(
                            end,
                            () -> {
                                for (int round = 0; ; round++) {
                                    if (round == 3) {
                                        busy.countDown();
                                    }
                                    work(engine, table, number, round);
                                }
                            }));
        }
        busy.await();

        engine.close();

        for (int i = 0; i < 4; i++) {
            threads.get(i).join();
            assertThat(ends.get(i).get()).isInstanceOf(EngineClosedException.class);
        }
    }

    private static void work(Engine engine, Table table, int number, int round) {
        byte[] key = key((number * 97 + round) % 500);
        if (number % 2 == 0) {
            engine.write(
                    transaction -> {
                        transaction.put(table, key, new byte[round % 300]);
                        return null;
                    });
        } else {
            engine.read(
                    snapshot -> {
                        try (Cursor cursor = snapshot.cursor(table, Range.atLeast(key))) {
                            for (int i = 0; i < 50 && cursor.next(); i++) {
                                cursor.value();
                            }
                        }
                        return null;
                    });
        }
    }

    @Test
    void givenAThreadThatWaitsForARow_whenClosed_thenItIsWoken(TestEngines engines)
            throws Exception {
        Engine engine = engines.open();
        Table table = engine.table("t");
        Transaction holder = engine.begin();
        holder.put(table, KEY, VALUE);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Transaction waiting = engine.begin();
        Thread waiter = start(end, () -> waiting.put(table, KEY, VALUE));
        while (((EngineImpl) engine).transactionLayer().transactions().lockQueues() == 0) {
            Thread.onSpinWait();
        }

        engine.close();

        waiter.join();
        // The holder is rolled back, so the row may have been granted before the wait was ended.
        if (end.get() != null) {
            assertThat(end.get()).isInstanceOf(EngineClosedException.class);
        }
        assertThatThrownBy(waiting::commit).isInstanceOf(EngineClosedException.class);
    }

    @Test
    void givenWorkThatClosesItsEngine_whenItGoesOn_thenItIsToldSo(TestEngines engines) {
        Engine engine = engines.open();
        Table table = engine.table("t");

        Throwable thrown =
                catchThrowable(
                        () ->
                                engine.write(
                                        transaction -> {
                                            transaction.put(table, KEY, VALUE);
                                            engine.close();
                                            transaction.put(table, KEY, VALUE);
                                            return null;
                                        }));

        assertThat(thrown).isInstanceOf(EngineClosedException.class);
        assertThat(engine.state()).isEqualTo(EngineState.CLOSED);
    }

    @Test
    void givenManyClosers_whenTheyMeet_thenAllReturnWhenItIsClosed(TestEngines engines)
            throws Exception {
        Engine engine = engines.open();
        fill(engine, 200);
        List<Thread> threads = new ArrayList<>();
        List<AtomicReference<Throwable>> ends = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            AtomicReference<Throwable> end = new AtomicReference<>();
            ends.add(end);
            threads.add(start(end, engine::close));
        }

        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(ends).allMatch(end -> end.get() == null);
        assertThat(VerifyAfterTest.threads()).isEmpty();
    }

    @Test
    void givenAnInterruptedThread_whenItWorksAndCloses_thenAllHappensAndTheFlagStays(
            TestEngines engines) {
        Engine engine = engines.open();
        Thread.currentThread().interrupt();

        fill(engine, 100);
        byte[] value = engine.read(snapshot -> snapshot.get(engine.table("t"), key(99)));
        engine.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(value).isEqualTo(VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "SYNC"})
    void givenALogThatFails_whenCommitting_thenTheOutcomeIsUnknownAndNothingGoesOn(
            String operation, TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, TestEngines.small().build());
        Table table = engine.table("t");
        fill(engine, 10);
        disk.faults()
                .add(
                        Fault.on(Operation.valueOf(operation), "redo/*")
                                .sticky()
                                .error(Fault.IO_ERROR));

        Throwable thrown = catchThrowable(() -> fill(engine, 11));

        assertThat(thrown).isInstanceOf(EngineFailedException.class);
        assertThat(((EngineFailedException) thrown).isOutcomeUnknown()).isTrue();
        assertThat(engine.state()).isEqualTo(EngineState.FAILED);
        assertThat(engine.status()).contains("state=FAILED").contains("failure=");
        assertThatThrownBy(() -> engine.read(snapshot -> snapshot.get(table, KEY)))
                .isInstanceOf(EngineFailedException.class);
        assertThatThrownBy(() -> engine.table("other")).isInstanceOf(EngineFailedException.class);
        engine.close();
        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
        disk.faults().clear();
        Engine again = engines.open(disk, TestEngines.small().build());
        byte[] value = again.read(snapshot -> snapshot.get(again.table("t"), key(9)));
        assertThat(value).isEqualTo(VALUE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE main.hfs", "SYNC main.hfs", "SYNC doublewrite/*"})
    void givenADataFileThatFails_whenCheckpointing_thenTheEngineFails(
            String where, TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, TestEngines.small().build());
        fill(engine, 50);
        String[] words = where.split(" ", -1);
        disk.faults()
                .add(
                        Fault.on(Operation.valueOf(words[0]), words[1])
                                .sticky()
                                .error(Fault.IO_ERROR));

        assertThatThrownBy(engine::checkpoint).isInstanceOf(EngineFailedException.class);

        assertThat(engine.state()).isEqualTo(EngineState.FAILED);
        engine.close();
        disk.faults().clear();
        Engine again = engines.open(disk, TestEngines.small().build());
        byte[] value = again.read(snapshot -> snapshot.get(again.table("t"), key(49)));
        assertThat(value).isEqualTo(VALUE);
    }

    @Test
    void givenALogThatFailsAtClose_whenSomethingWasLazy_thenCloseSaysSo(TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options =
                TestEngines.small()
                        .durability(Durability.LAZY)
                        .logFlushInterval(Duration.ofSeconds(50))
                        .build();
        Engine engine = engines.open(disk, options);
        fill(engine, 10);
        disk.faults().add(Fault.on(Operation.SYNC, "redo/*").sticky().error(Fault.IO_ERROR));

        assertThatThrownBy(engine::close).isInstanceOf(EngineFailedException.class);

        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
        disk.faults().clear();
    }

    @Test
    void givenACallThatOutlastsTheTimeout_whenClosed_thenCloseSaysThatItDidNotFlush(
            TestEngines engines) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options = TestEngines.small().closeTimeout(Duration.ofMillis(50)).build();
        Engine engine = engines.open(disk, options);
        EngineHealth health = ((EngineImpl) engine).storage().health();
        AtomicReference<Throwable> end = new AtomicReference<>();
        AtomicReference<Throwable> closeEnd = new AtomicReference<>();

        long drainsBefore = CoreSites.CLOSE_CALLS.counters().contendedAcquires();
        try (TestHooks.Pause pause = TestHooks.pauseAt("catalog.fileCreated")) {
            Thread caller = start(end, () -> engine.table("own", TableOptions.ownSpace()));
            pause.awaitReached();
            Thread closer = start(closeEnd, engine::close);
            while (!health.failed()) {
                Thread.onSpinWait();
            }
            pause.resume();
            closer.join();
            caller.join();
        }

        assertThat(closeEnd.get()).isInstanceOf(EngineFailedException.class);
        assertThat(end.get()).isInstanceOf(EngineFailedException.class);
        assertThat(CoreSites.CLOSE_CALLS.counters().contendedAcquires())
                .isGreaterThan(drainsBefore);
        assertThat(disk.isLocked()).isFalse();
    }

    @Test
    void givenADeviceThatDoesNotAnswer_whenClosed_thenItEndsWithAnErrorAndKeepsTheLock(
            TestEngines engines) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options = TestEngines.small().closeTimeout(Duration.ofMillis(100)).build();
        Engine engine = engines.open(disk, options);
        fill(engine, 10);
        engines.unverified(engine);
        Fault stuck = Fault.on(Operation.SYNC, "redo/*").sticky().stuck();
        disk.faults().add(stuck);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread committer = start(end, () -> fill(engine, 11));
        while (committer.getState() != Thread.State.WAITING
                && committer.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        assertThatThrownBy(engine::close).isInstanceOf(StorageException.class);

        assertThat(disk.isLocked()).isTrue();
        disk.faults().clear();
        stuck.release();
        committer.join();
        // What it waited for has come after all, or the failure was noticed first.
        if (end.get() != null) {
            assertThat(end.get()).isInstanceOf(EngineFailedException.class);
        }
    }

    @Test
    void givenADataFileThatDoesNotAnswer_whenClosed_thenItEndsWithAnErrorAndLeavesTheMemory(
            TestEngines engines) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options =
                TestEngines.small().closeTimeout(Duration.ofMillis(100)).ioWriteThreads(1).build();
        Engine engine = engines.open(disk, options);
        engines.unverified(engine);
        fill(engine, 500);
        Fault stuck = Fault.on(Operation.WRITE, "*.hfs").sticky().stuck();
        disk.faults().add(stuck);

        Throwable thrown = catchThrowable(engine::close);

        assertThat(thrown).isInstanceOf(StorageException.class).hasMessageContaining("io");
        assertThat(stuck.hits()).as("what was not begun is not begun any more").isEqualTo(1);
        assertThat(disk.isLocked()).isTrue();
        assertThat(disk.openFiles()).isNotEmpty();
        disk.faults().clear();
        stuck.release();
        while (!VerifyAfterTest.threads().isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(stuck.hits()).isEqualTo(1);
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

    private static byte[] key(int number) {
        return ("k" + number).getBytes(UTF_8);
    }

    private static void awaitNoThreads() {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!VerifyAfterTest.threads().isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static void fill(Engine engine, int rows) {
        Table table = engine.table("t");
        engine.write(
                transaction -> {
                    for (int i = 0; i < rows; i++) {
                        transaction.put(table, key(i), VALUE);
                    }
                    return null;
                });
    }
}
