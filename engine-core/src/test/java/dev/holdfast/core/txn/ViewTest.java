// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ConcurrentUseException;
import dev.holdfast.Durability;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionFinishedException;
import dev.holdfast.TransactionOptions;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * P20 and the rule of one thread at a time. If this failed, an engine's close would hang, or pull
 * memory away under somebody, or two threads would be inside one transaction.
 */
final class ViewTest {
    private static final long SECONDS_20 = Duration.ofSeconds(20).toNanos();

    private TransactionFixture engine =
            new TransactionFixture(4096, 256, 4096, Duration.ofSeconds(20));
    private TableHandle table = engine.table("t");
    private boolean engineFails;

    @AfterEach
    void close() {
        TestHooks.reset();
        if (engineFails) {
            assertThatThrownBy(engine::close).isInstanceOf(AssertionError.class);
        } else {
            engine.close();
        }
    }

    @Test
    void givenIdleViews_whenTheEngineCloses_thenTheyAreEndedAndTheirUsersAreTold() {
        put("k", 1);
        Snapshot snapshot = engine.snapshot();
        Transaction reader = engine.begin();
        Transaction writer = engine.begin();
        writer.put(table, key("k"), new byte[2]);

        engine.system.refuse();
        boolean ended = engine.system.endAll(SECONDS_20);

        assertThat(ended).isTrue();
        assertThat(engine.system.viewsInUse()).isZero();
        assertThat(engine.count(Counter.ROLLBACKS)).isEqualTo(1);
        assertThatThrownBy(() -> snapshot.get(table, key("k")))
                .isInstanceOf(EngineClosedException.class);
        assertThatThrownBy(() -> writer.put(table, key("k"), new byte[3]))
                .isInstanceOf(EngineClosedException.class);
        assertThatThrownBy(writer::commit).isInstanceOf(EngineClosedException.class);
        assertThatThrownBy(engine::snapshot).isInstanceOf(EngineClosedException.class);
        assertThatThrownBy(engine::begin).isInstanceOf(EngineClosedException.class);
        snapshot.close();
        reader.close();
        writer.close();
    }

    @Test
    void givenACallThatRuns_whenTheEngineCloses_thenItIsWaitedFor() throws Exception {
        put("k", 1);
        Transaction writer = engine.begin();
        writer.put(table, key("k"), new byte[2]);
        Snapshot snapshot = engine.snapshot();
        TestHooks.Pause inside = TestHooks.pauseAt(RowReader.WRITER_SEEN);
        TestThread<Integer> reader = TestThread.start(() -> snapshot.get(table, key("k")).length);
        inside.awaitReached();

        assertThatThrownBy(() -> snapshot.get(table, key("k")))
                .isInstanceOf(ConcurrentUseException.class);
        engine.system.refuse();
        boolean tooEarly = engine.system.endAll(20_000_000);
        inside.resume();

        assertThat(tooEarly).isFalse();
        assertThat(engine.system.endAll(SECONDS_20)).isTrue();
        assertThat(reader.result()).isEqualTo(1);
    }

    @Test
    void givenOneWhoWaitsForARow_whenTheEngineCloses_thenItIsToldAndTakenBack() throws Exception {
        put("a", 1);
        put("k", 1);
        Transaction holder = engine.begin();
        holder.put(table, key("k"), new byte[2]);
        Transaction waiter = engine.begin();
        waiter.put(table, key("a"), new byte[3]);
        TestThread<Void> waiting = start(() -> waiter.put(table, key("k"), new byte[3]));
        waiting.awaitParked();

        engine.system.refuse();
        boolean ended = engine.system.endAll(SECONDS_20);

        assertThat(ended).isTrue();
        assertThatThrownBy(waiting::result).isInstanceOf(EngineClosedException.class);
        assertThat(engine.count(Counter.ROLLBACKS)).isEqualTo(2);
    }

    @Test
    void givenACommitThatWaitsForTheLog_whenTheEngineCloses_thenItIsWaitedFor() throws Exception {
        Transaction writer =
                engine.system.begin(TransactionOptions.defaults().durability(Durability.SYNC));
        writer.put(table, key("k"), new byte[2]);
        TestHooks.Pause led = TestHooks.pauseAt(RedoLog.LED);
        TestThread<Void> commit = start(writer::commit);
        led.awaitReached();
        long appended = engine.under.under.log.appendLsn();
        long horizon = engine.system.registry().advanceHorizon();

        engine.system.refuse();
        boolean tooEarly = engine.system.endAll(20_000_000);
        led.resume();

        assertThat(tooEarly).isFalse();
        assertThat(engine.system.endAll(SECONDS_20)).isTrue();
        commit.result();
        // Its snapshot was given up before it began to wait.
        assertThat(horizon).isGreaterThanOrEqualTo(appended);
    }

    @Test
    void givenARollbackThatFailsAtClose_whenOthersAreOpen_thenTheyAreEndedAllTheSame() {
        engineFails = true;
        List<Transaction> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Transaction writer = engine.begin();
            writer.put(table, key("k" + i), new byte[2]);
            writers.add(writer);
        }
        TestHooks.onReached(
                MiniTransaction.RESERVED,
                () -> {
                    throw new IllegalStateException("planted");
                });

        engine.system.refuse();
        boolean ended = engine.system.endAll(SECONDS_20);

        assertThat(ended).isTrue();
        assertThat(engine.system.viewsInUse()).isZero();
        assertThat(engine.under.under.health.failed()).isTrue();
        writers.forEach(Transaction::close);
    }

    @Test
    void givenAFailedEngine_whenViewsAreClosed_thenTheyEndQuietly() {
        engineFails = true;
        Snapshot snapshot = engine.snapshot();
        Transaction writer = engine.begin();
        writer.put(table, key("k"), new byte[2]);

        engine.under.under.health.fail(new IllegalStateException("planted"));

        assertThatThrownBy(() -> snapshot.get(table, key("k")))
                .isInstanceOf(EngineFailedException.class);
        assertThatThrownBy(writer::commit).isInstanceOf(EngineFailedException.class);
        assertThatThrownBy(engine::begin).isInstanceOf(EngineFailedException.class);
        snapshot.close();
        writer.close();
        assertThat(engine.system.viewsInUse()).isZero();
    }

    @Test
    void givenAnEndedView_whenUsed_thenItSaysHowItEnded() {
        Transaction one = engine.begin();
        one.commit();
        Transaction two = engine.begin();
        two.rollback();

        assertThatThrownBy(() -> one.get(table, key("k")))
                .isInstanceOf(TransactionFinishedException.class)
                .hasMessageContaining("committed");
        assertThatThrownBy(two::rollback)
                .isInstanceOf(TransactionFinishedException.class)
                .hasMessageContaining("rolled back");
        one.close();
        two.close();
    }

    @Test
    void givenAViewThatCloseDoesNotSeeYet_whenTheEngineCloses_thenItsOpenerEndsIt() {
        TestThread<Snapshot> opener;
        try (TestHooks.Pause showing = TestHooks.pauseAt(OpenViews.SHOWING)) {
            opener = TestThread.start(engine::snapshot);
            showing.awaitReached();
            engine.system.refuse();
            assertThat(engine.system.endAll(SECONDS_20)).isTrue();
        }

        assertThatThrownBy(opener::result).isInstanceOf(EngineClosedException.class);
        assertThat(engine.system.viewsInUse()).isZero();
    }

    @Test
    void givenAsManyWritersAsTheTableHasCells_whenOneMoreWrites_thenItWaitsForOneToEnd()
            throws Exception {
        engine.close();
        engine = new TransactionFixture(4096, 256, 8, Duration.ofSeconds(20));
        table = engine.table("t");
        List<Transaction> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Transaction writer = engine.begin();
            writer.put(table, key("k" + i), new byte[2]);
            writers.add(writer);
        }
        TransactionOptions hurry =
                TransactionOptions.defaults().lockWaitTimeout(Duration.ofMillis(5));
        try (Transaction hasty = engine.system.begin(hurry)) {
            assertThatThrownBy(() -> hasty.put(table, key("x"), new byte[1]))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("transaction slot");
        }
        Transaction interrupted = engine.begin();
        TestThread<Void> interruptedPut =
                start(
                        () -> {
                            Thread.currentThread().interrupt();
                            interrupted.put(table, key("x"), new byte[1]);
                        });
        assertThatThrownBy(interruptedPut::result).isInstanceOf(WaitInterruptedException.class);
        Transaction patient = engine.begin();
        TestThread<Void> put = start(() -> patient.put(table, key("x"), new byte[1]));
        put.awaitParked();

        writers.get(3).commit();

        put.result();
        Transaction late = engine.begin();
        TestThread<Void> latePut = start(() -> late.put(table, key("y"), new byte[1]));
        latePut.awaitParked();
        engine.system.refuse();
        assertThatThrownBy(latePut::result).isInstanceOf(EngineClosedException.class);
    }

    @Test
    void givenAllUndoSegmentsInUse_whenOneMoreWrites_thenItTimesOut() {
        List<Transaction> writers = takeAllUndoSegments();
        TransactionOptions hurry =
                TransactionOptions.defaults().lockWaitTimeout(Duration.ofMillis(5));

        try (Transaction hasty = engine.system.begin(hurry)) {
            assertThatThrownBy(() -> hasty.put(table, key("x"), new byte[1]))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("undo segment");
            writers.get(0).rollback();
            hasty.put(table, key("x"), new byte[1]);
            hasty.commit();
        }

        assertThat(engine.rows(table)).hasSize(1);
    }

    @Test
    void givenAllUndoSegmentsInUse_whenOneIsGivenBack_thenTheOneThatSleepsForItIsWoken()
            throws Exception {
        List<Transaction> writers = takeAllUndoSegments();
        Transaction patient = engine.begin();
        TestThread<Void> put = start(() -> patient.put(table, key("x"), new byte[1]));
        put.awaitParked();
        assertThat(engine.system.writersWaiting()).isEqualTo(1);

        writers.get(700).rollback();

        put.result();
        assertThat(engine.system.writersWaiting()).isZero();
    }

    private List<Transaction> takeAllUndoSegments() {
        List<Transaction> writers = new ArrayList<>();
        int slots = 2 * 502;
        for (int i = 0; i < slots; i++) {
            Transaction writer = engine.begin();
            writer.put(table, key("k" + i), new byte[2]);
            writers.add(writer);
        }
        return writers;
    }

    @Test
    void givenAReadOnlyBuffer_whenAValueIsToBePutThere_thenItIsRefused() {
        put("k", 1);
        try (Snapshot now = engine.snapshot();
                Transaction one = engine.begin()) {
            ByteBuffer target = ByteBuffer.allocate(10).asReadOnlyBuffer();
            assertThatThrownBy(() -> now.get(table, key("k"), target))
                    .isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> one.get(table, key("none"), target))
                    .isInstanceOf(ReadOnlyBufferException.class);
        }
    }

    @Test
    void givenBuffersOfAnyKind_whenValuesOfAnyLengthAreRead_thenTheyStandAtThePosition() {
        for (int length : new int[] {0, 1, 200, 900, 1_100, 4_000, 50_000}) {
            byte[] value = new byte[length];
            for (int i = 0; i < length; i++) {
                value[i] = (byte) (i * 31);
            }
            try (Transaction one = engine.begin()) {
                one.put(table, key("v"), value);
                one.commit();
            }
            Snapshot before = engine.snapshot();
            put("v", 3);
            ByteBuffer array = ByteBuffer.allocate(length + 20);
            ByteBuffer slice = ByteBuffer.allocate(length + 20).position(7).slice();
            ByteBuffer direct = ByteBuffer.allocateDirect(length + 20);
            for (ByteBuffer target : List.of(array, slice, direct)) {
                target.position(5);
                assertThat(before.get(table, key("v"), target)).isEqualTo(length);
                assertThat(target.position()).isEqualTo(5 + length);
                assertThat(target.duplicate().flip().position(5)).isEqualTo(ByteBuffer.wrap(value));
                target.position(5).limit(5 + length / 2);
                assertThat(before.get(table, key("v"), target)).isEqualTo(length);
                assertThat(target.position()).isEqualTo(length == 0 ? 5 + length : 5);
                assertThat(before.get(table, key("none"), target)).isEqualTo(-1);
            }
            before.close();
            engine.purgeAll();
        }
        try (Snapshot now = engine.snapshot()) {
            assertThat(now.get(table, new byte[5_000])).isNull();
            assertThat(now.contains(table, new byte[5_000])).isFalse();
        }
    }

    private static TestThread<Void> start(Runnable work) {
        return TestThread.start(
                () -> {
                    work.run();
                    return null;
                });
    }

    private void put(String key, int length) {
        try (Transaction one = engine.begin()) {
            one.put(table, key(key), new byte[length]);
            one.commit();
        }
    }

    private static byte[] key(String text) {
        return text.getBytes(UTF_8);
    }
}
