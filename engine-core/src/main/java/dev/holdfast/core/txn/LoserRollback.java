// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.undo.UndoLog;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.RoomWait;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes back, while the engine is open, what transactions had done that a crash ended, and what the
 * rollback of a running one had to leave. Until then their rows are theirs: readers see the
 * versions before, writers wait. What a close leaves is taken back after the next open.
 */
public final class LoserRollback implements BackgroundAgent.Body {
    /** In one round, so that a close need not wait for a large transaction. */
    private static final int ROUND_RECORDS = 64;

    private final TransactionSystem system;
    private final Rollback rollback;
    private final RoomWait roomWait;
    private final Queue<Unfinished> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger left = new AtomicInteger();
    private final AtomicInteger stuck = new AtomicInteger();

    /** Set once by {@code core.db}. */
    private volatile Runnable waker = LoserRollback::wakeNobody;

    /** Taken from the queue and not taken back to its end. */
    private Unfinished current;

    /** The agent of a transaction system; run by one thread. */
    public LoserRollback(TransactionSystem system) {
        this.system = system;
        this.roomWait = system.health().roomWait();
        this.rollback = new Rollback(system, new Workspace(system));
        system.losers(this);
    }

    /**
     * Enters the losers into the transaction table, before anybody reads. If two ids fall on one
     * cell of the table, the earlier loser is taken back at once.
     */
    public void adopt(List<UndoSystem.Loser> losers) {
        if (TestHooks.fault(PlantedFault.LOSER_KEPT)) {
            return;
        }
        for (UndoSystem.Loser loser : losers) {
            LockOwner owner = new LockOwner(loser.transactionId());
            while (!system.table()
                    .tryBegin(loser.transactionId(), owner, system.registry().horizon())) {
                boolean taken = takeBackSome(Integer.MAX_VALUE);
                assert taken : "cell is held by nobody that is known: " + loser;
            }
            UndoLog log = new UndoLog();
            log.resume(loser.segment(), loser.transactionId());
            queue.add(new Unfinished(log, owner));
            left.incrementAndGet();
        }
    }

    /** Says who wakes the agent that runs this. */
    public void waker(Runnable agentWaker) {
        waker = agentWaker;
    }

    /** Takes over a transaction that has ended for its user, to take back the rest of it. */
    void adopt(UndoLog log, LockOwner owner) {
        left.incrementAndGet();
        queue.add(new Unfinished(log, owner));
        waker.run();
    }

    /** What is about to be taken over found no room; said before, so that the agent ends it. */
    void refusedRoom(Exception refusal) {
        roomWait.refused(refusal);
    }

    /** Losers that are being taken back. */
    public int left() {
        return left.get();
    }

    /** Losers left as they are for a damaged page. */
    public int stuck() {
        return stuck.get();
    }

    @Override
    public boolean run() {
        try {
            return takeBackSome(ROUND_RECORDS);
        } catch (CorruptionException damage) {
            leave(damage);
            return true;
        }
    }

    /**
     * Leaves a loser as it is, since a row of it cannot be reached: its undo is kept, its rows stay
     * its own, readers see the versions before, and the next open tries again.
     */
    private void leave(CorruptionException damage) {
        if (system.health().failed() || current == null) {
            throw damage;
        }
        system.counters().increment(Counter.LOSERS_LEFT);
        system.health().damaged(damage, "rollback of a transaction");
        stuck.incrementAndGet();
        left.decrementAndGet();
        current = null;
        roomWait.over();
    }

    /** Goes on with a loser; false if there is none. */
    private boolean takeBackSome(int records) {
        current = current == null ? queue.poll() : current;
        if (current == null) {
            return false;
        }
        boolean isAtEnd = rollback.some(current.log, records);
        roomWait.over();
        if (isAtEnd) {
            system.loserEnded(current.log, current.owner);
            system.counters().increment(Counter.LOSERS_ROLLED_BACK);
            left.decrementAndGet();
            current = null;
        }
        return true;
    }

    /** Before there is an agent: it begins with a look at the queue. */
    private static void wakeNobody() {}

    private record Unfinished(UndoLog log, LockOwner owner) {}
}
