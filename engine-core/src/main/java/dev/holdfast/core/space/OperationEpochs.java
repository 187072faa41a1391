// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.TestHooks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Who may still be following a pointer out of a leaf, so that what it points to is not reused under
 * them (P6).
 *
 * <p>A reader enters, validates the leaf again, follows the pointer, leaves; it waits for no row,
 * no log space and no durability in between. Whoever unlinks something reads {@link #now}
 * afterwards and reuses it only when {@link #passed} says so. Entering and leaving allocates
 * nothing and takes no latch.
 */
public final class OperationEpochs {
    /*
     * Each stripe holds two counters, one for even and one for odd epochs. To enter is to increment
     * the one of the epoch that was read and to read the epoch again; if it has moved on, the
     * increment is taken back. To leave is to decrement the same counter, whatever the epoch is by
     * then. The epoch moves from e to e + 1 when the counters of the other parity, which is that of
     * e - 1, are all zero.
     *
     *     reader                            advance()
     *     e = epoch                         epoch = e           (some round before)
     *     counter[e & 1]++   (volatile)     all counter[(e + 1) & 1] == 0 ?
     *     epoch == e ?       (volatile)     epoch = e + 1
     *
     * A reader that found epoch e twice has incremented before the epoch left e, so every later
     * sum over its parity sees it until it leaves. So in epoch e there are readers of e - 1 and e
     * only, and what was unlinked in epoch u is out of reach in epoch u + 2. The sum need not be
     * atomic: cells are never negative, so it is zero only if each cell was zero when it was read,
     * and a reader of the parity that is summed cannot come anew, for its epoch has passed. A
     * spurious increment that is taken back can only make the sum look larger.
     *
     * All accesses are volatile: the increment must not pass the second read of the epoch.
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** Sync points: an epoch is read and not counted yet; a sum is zero and the epoch not moved. */
    static final String ENTERING = "space.epochs.entering";

    static final String SUMMED = "space.epochs.summed";

    /** Cells between two stripes: two cache lines, for lines are fetched in pairs. */
    private static final int STRIPE_CELLS = 16;

    private static final int STRIPES_MAX = 64;
    private static final long PAUSE_NANOS = 50_000;

    private final long[] cells;
    private final int stripeMask;

    /** Written by {@link #advance} alone, under this object's monitor; read by everyone. */
    private volatile long epoch = 2;

    /** Stripes for the processors of this machine. */
    public OperationEpochs() {
        int wanted = 2 * Runtime.getRuntime().availableProcessors();
        int stripes = Math.min(STRIPES_MAX, Integer.highestOneBit(Math.max(2, wanted)));
        this.stripeMask = stripes - 1;
        this.cells = new long[(stripes + 1) * STRIPE_CELLS];
    }

    /** Begins to follow a pointer. Returns what {@link #leave} wants. */
    public int enter() {
        int stripe = stripeOf(Thread.currentThread().getId());
        while (true) {
            long seen = epoch;
            TestHooks.reached(ENTERING);
            int cell = stripe + (int) (seen & 1);
            CELL.getAndAdd(cells, cell, 1L);
            if (epoch == seen) {
                return cell;
            }
            CELL.getAndAdd(cells, cell, -1L);
        }
    }

    /** Ends what {@link #enter} began. */
    public void leave(int token) {
        long before = (long) CELL.getAndAdd(cells, token, -1L);
        assert before > 0 : "left more often than entered: token=" + token;
    }

    /** The epoch that something unlinked before this call is remembered with. */
    public long now() {
        return epoch;
    }

    /** Whether everybody who was inside when something was unlinked has left. */
    public boolean passed(long epochAtUnlink) {
        return epoch >= epochAtUnlink + 2;
    }

    /**
     * Moves on if nobody is left from the epoch before. Never waits.
     *
     * @return whether the epoch moved
     */
    public synchronized boolean advance() {
        long current = epoch;
        int parity = (int) ((current + 1) & 1);
        for (int stripe = 0; stripe <= stripeMask; stripe++) {
            int cell = (stripe + 1) * STRIPE_CELLS + parity;
            if ((long) CELL.getVolatile(cells, cell) != 0) {
                return false;
            }
        }
        TestHooks.reached(SUMMED);
        epoch = current + 1;
        return true;
    }

    /**
     * Waits until everybody who is inside now has left; short, for nobody waits for anything while
     * inside. <b>Latches:</b> none held, and the caller is not inside.
     */
    public void awaitAllOutside() {
        assert HeldLatches.mayWaitFor(CoreSites.EPOCH_READERS);

        long unlinked = epoch;
        while (!passed(unlinked)) {
            if (!advance()) {
                awaitAdvance(unlinked);
            }
        }
    }

    private void awaitAdvance(long unlinked) {
        CurrentWait wait = CurrentWait.begin(CoreSites.EPOCH_READERS, unlinked);
        try {
            while (!advance()) {
                CoreSites.EPOCH_READERS.counters().countPark();
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        } finally {
            wait.end();
        }
    }

    private int stripeOf(long threadId) {
        int hash = (int) ((threadId * 0x9E37_79B9_7F4A_7C15L) >>> Integer.SIZE);
        return ((hash & stripeMask) + 1) * STRIPE_CELLS;
    }
}
