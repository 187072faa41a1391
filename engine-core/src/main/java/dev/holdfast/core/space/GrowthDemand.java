// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.SequenceBarrier;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * How the callers of one space wait for the agent that makes room in it.
 *
 * <p>Attempts are numbered. A caller that found no room asks for one that begins after its look,
 * waits until that one has ended and looks again. All but the waiting is guarded by the space's
 * latch.
 */
final class GrowthDemand {
    private final SequenceBarrier barrier = new SequenceBarrier(CoreSites.FILE_GROWTH);
    private long begun;

    /** Read by waiters without the latch, hence volatile. */
    private volatile long ended;

    private boolean wanted;
    private int pagesWanted;

    /** Why the newest attempt made no room, or null if it made some. */
    private IOException refusal;

    /** Asks for an attempt. Returns its number. */
    long ask(int pages) {
        wanted = true;
        pagesWanted = Math.max(pagesWanted, pages);
        return begun + 1;
    }

    /** Asks for room ahead of need, unless the disk has refused it and nobody is in need. */
    boolean askAhead() {
        if (wanted || refusal != null) {
            return false;
        }
        wanted = true;
        return true;
    }

    boolean isWanted() {
        return wanted;
    }

    /** Begins an attempt. Returns how many pages somebody is waiting for. */
    int begin() {
        begun++;
        wanted = false;
        int pages = pagesWanted;
        pagesWanted = 0;
        return pages;
    }

    /** Takes back an attempt that could not be made; another will be. */
    void postpone(int pages) {
        begun--;
        wanted = true;
        pagesWanted = Math.max(pagesWanted, pages);
    }

    /** Ends an attempt, before {@link #wake}. */
    void end(IOException refused) {
        refusal = refused;
        ended = begun;
    }

    /** The refusal that ended an attempt of at least that number, or null. */
    IOException refusal(long attempt) {
        return ended >= attempt ? refusal : null;
    }

    /** Wakes who waited for an attempt that has ended. No latch needed. */
    void wake() {
        barrier.advanced(ended);
    }

    void wakeAll() {
        barrier.wakeAll();
    }

    /** Waits for the end of an attempt, or until told to stop. <b>Latches:</b> none held. */
    void await(long attempt, BooleanSupplier stop) {
        assert HeldLatches.mayWaitFor(CoreSites.FILE_GROWTH);

        barrier.await(attempt, () -> ended, stop);
    }
}
