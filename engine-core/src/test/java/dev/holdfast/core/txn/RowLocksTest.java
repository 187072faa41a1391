// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * P14. If this failed, somebody would wait for a row that nobody holds, or two would hold one.
 * Waits that are to end have a limit so long that only a lost wake-up meets it.
 */
final class RowLocksTest {
    private static final byte[] KEY = {1, 2, 3};
    private static final int TREE = 7;
    private static final long LONG = Duration.ofSeconds(25).toNanos();

    private final EngineHealth health = new EngineHealth();
    private final TransactionTable table = new TransactionTable(64);
    private final RowLocks locks = new RowLocks("store", table, health, new Counters());

    @AfterEach
    void reset() {
        TestHooks.reset();
    }

    @Test
    void givenAWriter_whenItCommits_thenTheWaiterIsGrantedTheRow() throws Exception {
        Tx writer = new Tx(1);
        Tx waiter = new Tx(2);
        TestThread<Void> waiting = waiter.start(1);
        waiting.awaitParked();

        writer.commit();

        waiting.result();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(2);
        waiter.wrote();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isZero();
        assertThat(locks.entries()).isZero();
    }

    @Test
    void givenAWriterThatEndsBeforeItsFlagIsSet_whenTheWaiterLooksAgain_thenItGrantsItself()
            throws Exception {
        Tx writer = new Tx(1);
        Tx waiter = new Tx(2);
        TestHooks.Pause queued = TestHooks.pauseAt(RowLocks.QUEUED);
        TestThread<Void> waiting = waiter.start(1);
        queued.awaitReached();

        boolean seen = writer.owner.hasWaiters();
        writer.commit();
        queued.resume();

        waiting.result();
        assertThat(seen).isFalse();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(2);
    }

    @Test
    void givenAWriterInTheMiddleOfItsRemoval_whenSomebodyComesToWait_thenItIsNotForgotten()
            throws Exception {
        Tx writer = new Tx(1);
        Tx waiter = new Tx(2);
        TestHooks.Pause removing = TestHooks.pauseAt(TransactionTable.REMOVING);
        TestThread<Void> ending =
                TestThread.start(
                        () -> {
                            writer.rollback();
                            return null;
                        });
        removing.awaitReached();

        waiter.start(1).result();
        removing.resume();

        ending.result();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(2);
    }

    @Test
    void givenAWriterThatLeftTheTable_whenWaitedFor_thenTheWaiterGrantsItself() throws Exception {
        Tx waiter = new Tx(2);

        waiter.await(1, LONG);

        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(2);
    }

    @Test
    void givenThreeWaiters_whenEachWritesAndEnds_thenTheyComeInTheirOrder() throws Exception {
        Tx writer = new Tx(1);
        Tx second = new Tx(2);
        Tx third = new Tx(3);
        TestThread<Void> secondWaits = second.start(1);
        secondWaits.awaitParked();
        TestThread<Void> thirdWaits = third.start(1);
        thirdWaits.awaitParked();

        writer.rollback();
        secondWaits.result();
        second.wrote();
        boolean early = thirdWaits.isDone();
        second.commit();
        thirdWaits.result();

        assertThat(early).isFalse();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(3);
        third.leave();
        assertThat(locks.entries()).isZero();
    }

    @Test
    void givenAGrantedWaiter_whenItLeavesWithoutWriting_thenTheNextIsGranted() throws Exception {
        Tx writer = new Tx(1);
        Tx second = new Tx(2);
        Tx third = new Tx(3);
        TestThread<Void> secondWaits = second.start(1);
        secondWaits.awaitParked();
        TestThread<Void> thirdWaits = third.start(1);
        thirdWaits.awaitParked();
        writer.commit();
        secondWaits.result();

        second.leave();

        thirdWaits.result();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(3);
    }

    @Test
    void givenAHolder_whenANewcomerComes_thenItWaitsForTheHoldersTransaction() throws Exception {
        Tx writer = new Tx(1);
        Tx holder = new Tx(2);
        Tx newcomer = new Tx(3);
        TestThread<Void> holderWaits = holder.start(1);
        holderWaits.awaitParked();
        writer.commit();
        holderWaits.result();
        TestThread<Void> newcomerWaits = newcomer.start(0);
        newcomerWaits.awaitParked();

        holder.wrote();
        boolean early = newcomerWaits.isDone();
        holder.commit();

        newcomerWaits.result();
        assertThat(early).isFalse();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(3);
    }

    @Test
    void givenAHolderThatHasGone_whenWaitedFor_thenTheRowIsGrantedAtOnce() {
        Tx newcomer = new Tx(3);

        newcomer.await(0, LONG);

        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(3);
    }

    @Test
    void givenAGrantedWaiterThatFindsAnotherWriter_whenItWaitsAgain_thenItIsFirst()
            throws Exception {
        Tx writer = new Tx(1);
        Tx granted = new Tx(2);
        Tx behind = new Tx(3);
        TestThread<Void> grantedWaits = granted.start(1);
        grantedWaits.awaitParked();
        TestThread<Void> behindWaits = behind.start(1);
        behindWaits.awaitParked();
        writer.commit();
        grantedWaits.result();
        Tx stranger = new Tx(4);

        TestThread<Void> grantedAgain = granted.start(4);
        grantedAgain.awaitParked();
        boolean early = behindWaits.isDone();
        stranger.commit();

        grantedAgain.result();
        assertThat(early).isFalse();
        assertThat(behindWaits.isDone()).isFalse();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(2);
        granted.leave();
        behindWaits.result();
    }

    @Test
    void givenALookThatIsOutOfDate_whenItOverwritesWhomTheQueueWaitsFor_thenNobodyIsForgotten()
            throws Exception {
        Tx first = new Tx(1);
        Tx second = new Tx(2);
        TestThread<Void> secondWaits = second.start(1);
        secondWaits.awaitParked();
        Tx late = new Tx(3);
        first.commit();
        secondWaits.result();
        second.wrote();

        // It saw the first writer in the row, and queues only now.
        TestThread<Void> lateWaits = late.start(1);
        lateWaits.result();

        assertThat(locks.holder(TREE, KEY, KEY.length)).isEqualTo(3);
        TestThread<Void> lateAgain = late.start(2);
        lateAgain.awaitParked();
        second.commit();
        lateAgain.result();
        late.leave();
        assertThat(locks.entries()).isZero();
    }

    @Test
    void givenNoTime_whenWaiting_thenItTimesOutAndLeavesNothing() {
        Tx writer = new Tx(1);
        Tx waiter = new Tx(2);
        long timeouts = CoreSites.ROW_LOCK.counters().timeouts();

        assertThatThrownBy(() -> waiter.await(1, 1_000_000))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("table=t");

        assertThat(CoreSites.ROW_LOCK.counters().timeouts()).isGreaterThan(timeouts);
        assertThat(locks.entries()).isZero();
        assertThat(waiter.waiter.isQueued()).isFalse();
        writer.commit();
        assertThat(locks.holder(TREE, KEY, KEY.length)).isZero();
    }

    @Test
    void givenAStatementThatWaitedBefore_whenItWaitsAgain_thenItsTimeGoesOn() {
        new Tx(1);
        Tx waiter = new Tx(2);
        long longAgo = System.nanoTime() - LONG;

        assertThatThrownBy(() -> waiter.await(1, longAgo, LONG))
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void givenAnInterrupt_whenWaiting_thenItEndsAndTheFlagIsKept() throws Exception {
        new Tx(1);
        Tx waiter = new Tx(2);
        AtomicBoolean kept = new AtomicBoolean();
        TestThread<Void> waiting =
                TestThread.start(
                        () -> {
                            try {
                                waiter.await(1, LONG);
                            } finally {
                                kept.set(Thread.currentThread().isInterrupted());
                            }
                            return null;
                        });
        waiting.awaitParked();

        waiting.interrupt();

        assertThatThrownBy(waiting::result).isInstanceOf(WaitInterruptedException.class);
        assertThat(kept).isTrue();
        assertThat(locks.entries()).isZero();
    }

    @Test
    void givenAWaiter_whenTheEngineCloses_thenItIsToldAndSoIsWhoComesLater() throws Exception {
        new Tx(1);
        Tx waiter = new Tx(2);
        TestThread<Void> waiting = waiter.start(1);
        waiting.awaitParked();

        locks.close();

        assertThatThrownBy(waiting::result).isInstanceOf(EngineClosedException.class);
        assertThatThrownBy(() -> new Tx(3).await(1, LONG))
                .isInstanceOf(EngineClosedException.class);
        assertThat(locks.entries()).isZero();
    }

    @Test
    void givenAWaiter_whenTheEngineFailsUnderAHighLatch_thenItIsWoken() throws Exception {
        new Tx(1);
        Tx waiter = new Tx(2);
        TestThread<Void> waiting = waiter.start(1);
        waiting.awaitParked();

        assertThat(HeldLatches.acquired(CoreSites.REDO_LEADER, 1)).isTrue();
        health.fail(new IllegalStateException("planted"));
        assertThat(HeldLatches.released(CoreSites.REDO_LEADER, 1)).isTrue();

        assertThatThrownBy(waiting::result).isInstanceOf(EngineFailedException.class);
        assertThat(health.cause().getSuppressed()).isEmpty();
        assertThat(locks.entries()).isZero();
    }

    @Test
    void givenWaitersOfManyKeys_whenTheirWriterEnds_thenAllAreGranted() throws Exception {
        Tx writer = new Tx(1);
        int count = 20;
        Tx[] waiters = new Tx[count];
        @SuppressWarnings({"unchecked", "rawtypes"})
        TestThread<Void>[] waiting = new TestThread[count];
        for (int i = 0; i < count; i++) {
            waiters[i] = new Tx(2 + i);
            byte[] key = {(byte) i};
            Tx own = waiters[i];
            waiting[i] =
                    TestThread.start(
                            () -> {
                                own.await(key, 1, System.nanoTime(), LONG);
                                return null;
                            });
            waiting[i].awaitParked();
        }

        writer.commit();

        for (int i = 0; i < count; i++) {
            waiting[i].result();
            waiters[i].leave();
        }
        assertThat(locks.entries()).isZero();
    }

    /** A transaction as far as locks are concerned. */
    private final class Tx {
        private final LockOwner owner;
        private final RowWaiter waiter = new RowWaiter();

        Tx(long id) {
            owner = new LockOwner(id);
            waiter.owner = owner;
            waiter.transactionId = id;
            assertThat(table.tryBegin(id, owner, 0)).isTrue();
        }

        TestThread<Void> start(long writer) {
            return TestThread.start(
                    () -> {
                        await(writer, LONG);
                        return null;
                    });
        }

        void await(long writer, long timeoutNanos) {
            await(writer, System.nanoTime(), timeoutNanos);
        }

        void await(long writer, long startNanos, long timeoutNanos) {
            await(KEY, writer, startNanos, timeoutNanos);
        }

        void await(byte[] key, long writer, long startNanos, long timeoutNanos) {
            locks.await(waiter, "t", TREE, key, key.length, writer, startNanos, timeoutNanos);
        }

        void wrote() {
            locks.wrote(waiter);
        }

        void leave() {
            locks.leave(waiter);
        }

        void commit() {
            table.committing(owner.transactionId());
            table.committed(owner.transactionId(), 1000);
            locks.ownerEnded(owner);
        }

        void rollback() {
            table.remove(owner.transactionId());
            locks.ownerEnded(owner);
        }
    }
}
