// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoUser;

/**
 * What purge may read, of the budget that all background IO shares.
 *
 * <p>For the thread of purge. History that is still in the pool costs nothing and is never held up.
 */
final class PurgeBudget {
    /*
     * Purge learns that a record needs pages only by reading them, so it pays afterwards: a record
     * that was paid for lets the next one in. Who owes more than the budget has pauses until the
     * agent's next round.
     *
     * A pause must not let history outrun purge: undo spaces would grow, and version chains with
     * them. Beyond a distance behind the horizon purge goes on and overdraws, as the cleaner does
     * when the log is nearly full. The distance is in bytes of redo, which bound those of undo.
     */
    /** Paid for at a time, so that the budget is asked once for some records. */
    static final int CHUNK_PAGES = 16;

    private final IoCapacity capacity;
    private final long distanceBytesMax;
    private final Counters counters;

    /** Pages paid for and not read yet; below zero, what is owed. */
    private long pages;

    /**
     * Nothing is paid and nothing owed.
     *
     * @param distanceBytesMax how much redo may lie between the commit that is purged and the
     *     horizon before the budget does not matter any more
     */
    PurgeBudget(IoCapacity capacity, long distanceBytesMax, Counters counters) {
        this.capacity = capacity;
        this.distanceBytesMax = distanceBytesMax;
        this.counters = counters;
    }

    /** Says that so many pages were read. */
    void wereRead(long count) {
        pages -= count;
    }

    /**
     * Whether the next record may be purged now; false: after a pause.
     *
     * @param distanceBytes from the commit that is purged to the horizon
     */
    boolean mayGoOn(long distanceBytes) {
        if (pages >= 0) {
            return true;
        }
        int wanted = (int) Math.min(Integer.MAX_VALUE / 2, -pages) + CHUNK_PAGES;
        boolean isUrgent = distanceBytes > distanceBytesMax;
        if (!capacity.tryTake(IoUser.PURGE, wanted)) {
            if (!isUrgent) {
                counters.increment(Counter.PURGE_BUDGET_PAUSES);
                return false;
            }
            capacity.overdraw(IoUser.PURGE, wanted);
            counters.add(Counter.PURGE_PAGES_OVERDRAWN, wanted);
        }
        pages += wanted;
        return true;
    }
}
