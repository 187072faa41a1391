// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.sync.TestHooks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The states of the transactions that have written: from an id to ACTIVE, COMMITTING or the commit
 * LSN. Bounded; read without a latch on every read of a row that bears a transaction id.
 */
final class TransactionTable {
    /*
     * A ring of cells {id, state}, one per id modulo the capacity (P4).
     *
     *   field           written by                              read by
     *   id              claim (CAS to CLAIMED, then release),   lookup: acquire, twice
     *                   remove (release)
     *   state           the owner (release or volatile)         lookup: acquire, between the two
     *   spilled bounds  spill, before the cell's id changes     lookup: volatile, after the id
     *
     * A lookup reads id, state, id. If both reads of the id agree the state belongs to it, because
     * the state of a cell is changed for a new owner only while the id is CLAIMED.
     *
     * A committed transaction keeps its cell until the cell is wanted. If its commit is visible to
     * every snapshot by then, nothing is lost: "absent" means visible to all. Otherwise its id
     * range is marked as spilled BEFORE its id leaves the cell, so a reader that finds the id gone
     * finds the mark; it then asks the header of the undo log. A transaction that is not committed
     * is never displaced: the newcomer takes another id.
     *
     * Ranges and their greatest commit LSN are kept in a small map under a lock, since spills and
     * the clearing of marks are rare; readers look at two volatile bounds first, which settles the
     * case that nothing was spilled.
     */
    static final long ABSENT = 0;
    static final long ACTIVE = 1;
    static final long COMMITTING = 2;

    /** Sync point: the state is stored, the owner still there. */
    static final String REMOVING = "txn.table.removing";

    /** The id is absent but its range was spilled: its undo log knows. */
    static final long SPILLED = -1;

    private static final int CELL_LONGS_SHIFT = 3;
    private static final int RANGE_SHIFT = 12;
    private static final long EMPTY = 0;
    private static final long CLAIMED = -1;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final int capacity;
    private final long[] cells;
    private final AtomicReferenceArray<LockOwner> owners;

    /** Range to the greatest commit LSN spilled from it. Guarded by spillLock for changes. */
    private final Map<Long, Long> spilled = new ConcurrentHashMap<>();

    private final ReentrantLock spillLock = new ReentrantLock();

    /** Bounds of the spilled ids; low above high while there are none. Guarded by spillLock. */
    private volatile long spilledLow = Long.MAX_VALUE;

    private volatile long spilledHigh = -1;

    /**
     * Makes an empty table.
     *
     * @param capacity a power of two; at most so many transactions can be active at once
     */
    TransactionTable(int capacity) {
        assert Integer.bitCount(capacity) == 1 : "capacity=" + capacity;
        this.capacity = capacity;
        this.cells = new long[capacity << CELL_LONGS_SHIFT];
        this.owners = new AtomicReferenceArray<>(capacity);
    }

    int capacity() {
        return capacity;
    }

    /**
     * Enters a transaction as ACTIVE.
     *
     * @param horizon what is committed up to here is visible to every snapshot
     * @return false if the id's cell is held by a transaction that has not committed; the caller
     *     takes another id
     */
    boolean tryBegin(long id, LockOwner owner, long horizon) {
        assert id > 0 : "id=" + id;
        int cell = cell(id);
        long holder = idAcquire(cell);
        if (holder == CLAIMED) {
            return false;
        }
        if (holder != EMPTY) {
            long state = stateAcquire(cell);
            if (isUnderWay(state)) {
                return false;
            }
            if (state > horizon) {
                spill(holder, state);
            }
        }
        // A holder that ended meanwhile leaves EMPTY, and another newcomer CLAIMED: either fails
        // the exchange.
        if (!CELL.compareAndSet(cells, cell, holder, CLAIMED)) {
            return false;
        }
        owners.set(slot(id), owner);
        CELL.setRelease(cells, cell + 1, ACTIVE);
        publishIdRelease(cell, id);
        return true;
    }

    /** Release; pairs with idAcquire. Who sees the id sees its state. */
    private void publishIdRelease(int cell, long id) {
        CELL.setRelease(cells, cell, id);
    }

    /** Acquire; pairs with publishIdRelease. */
    private long idAcquire(int cell) {
        return (long) CELL.getAcquire(cells, cell);
    }

    /** Acquire; pairs with the stores of a state, so the changes before it are seen. */
    private long stateAcquire(int cell) {
        return (long) CELL.getAcquire(cells, cell + 1);
    }

    /**
     * The state of a transaction: {@link #ABSENT}, {@link #SPILLED}, {@link #ACTIVE}, {@link
     * #COMMITTING} or the commit LSN. The first two count only if the row that bears the id is
     * validated afterwards.
     */
    long lookup(long id) {
        int cell = cell(id);
        if (idAcquire(cell) == id) {
            long state = stateAcquire(cell);
            if (idAcquire(cell) == id) {
                return state;
            }
        }
        if (id < spilledLow || id > spilledHigh) {
            return ABSENT;
        }
        return spilled.containsKey(id >>> RANGE_SHIFT) ? SPILLED : ABSENT;
    }

    /** Whether a state that was looked up is that of a transaction that has not ended. */
    static boolean isUnderWay(long state) {
        return state == ACTIVE || state == COMMITTING;
    }

    /** From ACTIVE to COMMITTING, before the commit group is appended. */
    void committing(long id) {
        assert lookup(id) == ACTIVE : "id=" + id + ", state=" + lookup(id);
        CELL.setRelease(cells, cell(id) + 1, COMMITTING);
    }

    /** From COMMITTING to the commit LSN. Volatile: the caller reads its waiters flag after it. */
    void committed(long id, long commitLsn) {
        assert lookup(id) == COMMITTING : "id=" + id + ", state=" + lookup(id);
        assert commitLsn > COMMITTING : "commitLsn=" + commitLsn;
        CELL.setVolatile(cells, cell(id) + 1, commitLsn);
    }

    /**
     * Takes out a transaction whose last row has been restored, or that never changed one.
     * Volatile: the caller reads its waiters flag after it.
     */
    void remove(long id) {
        assert lookup(id) == ACTIVE : "id=" + id + ", state=" + lookup(id);
        // The owner goes last: a waiter that found none while the state is still ACTIVE would sleep
        // without having flagged anybody. The exchange spares the owner of a newcomer.
        LockOwner owner = owners.get(slot(id));
        CELL.setVolatile(cells, cell(id), EMPTY);
        TestHooks.reached(REMOVING);
        owners.compareAndSet(slot(id), owner, null);
    }

    /** Who waits on its locks, or {@code null} if the transaction is not in the table any more. */
    LockOwner owner(long id) {
        LockOwner owner = owners.get(slot(id));
        return owner != null && owner.transactionId() == id ? owner : null;
    }

    /** Whether a transaction has ended: it is absent or bears a commit LSN. Volatile (P14). */
    boolean hasEnded(long id) {
        VarHandle.fullFence();
        long state = lookup(id);
        return !isUnderWay(state);
    }

    /** Marks the range of a committed transaction that some snapshot may still not see. */
    private void spill(long id, long commitLsn) {
        long range = id >>> RANGE_SHIFT;
        spillLock.lock();
        try {
            spilled.merge(range, commitLsn, Math::max);
            spilledLow = Math.min(spilledLow, range << RANGE_SHIFT);
            spilledHigh = Math.max(spilledHigh, lastOf(range));
        } finally {
            spillLock.unlock();
        }
    }

    /** Forgets the ranges that every snapshot sees. */
    void horizonAdvanced(long horizon) {
        if (spilledHigh < 0) {
            return;
        }
        spillLock.lock();
        try {
            spilled.values().removeIf(lsn -> lsn <= horizon);
            refreshBounds();
        } finally {
            spillLock.unlock();
        }
    }

    private void refreshBounds() {
        long low = Long.MAX_VALUE;
        long high = -1;
        for (long range : spilled.keySet()) {
            low = Math.min(low, range << RANGE_SHIFT);
            high = Math.max(high, lastOf(range));
        }
        spilledLow = low;
        spilledHigh = high;
    }

    private static long lastOf(long range) {
        return ((range + 1) << RANGE_SHIFT) - 1;
    }

    int spilledRanges() {
        return spilled.size();
    }

    private int slot(long id) {
        return (int) id & capacity - 1;
    }

    private int cell(long id) {
        return slot(id) << CELL_LONGS_SHIFT;
    }
}
