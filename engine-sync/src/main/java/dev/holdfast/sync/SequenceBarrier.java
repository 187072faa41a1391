// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Where threads sleep until a number that only grows has reached theirs: an LSN that becomes
 * durable, a position of the log that becomes free.
 *
 * <p>Waiters sleep in the order of their targets and are woken in it, each once, when its target is
 * reached: nothing polls. An interrupt does not end a wait and is kept. The number itself belongs
 * to the caller, who publishes it first and calls {@link #advanced} then.
 */
public final class SequenceBarrier {
    /*
     * A list of waiters sorted by target under a queue lock, and the lowest target beside it, so
     * that an advance that covers nobody costs a fence and a read.
     *
     *   waiter                               advancer
     *   queue, store lowestTarget            publish the number
     *   full fence                           full fence
     *   read the number, ask to stop         read lowestTarget
     *
     * One of the two sees the other's store, so a waiter does not sleep past its number. The same
     * holds for wakeFirst and wakeAll and what the waiter asks for by 'stop'.
     *
     * Targets mostly come in ascending order, so the place of a new waiter is sought from the end.
     *
     * field          written by             read by        guard or mode
     * queue          waiters, advancers     the same       its lock
     * lowestTarget   waiters, advancers     advancers      written under the lock, read volatile
     */

    static final String BEFORE_PARK = "sync.barrierBeforePark";

    private static final long NOBODY = Long.MAX_VALUE;

    private final WaitQueue queue = new WaitQueue();
    private final ContentionSite site;
    private volatile long lowestTarget = NOBODY;

    public SequenceBarrier(ContentionSite site) {
        this.site = site;
    }

    /**
     * Waits until the number has reached {@code target} or {@code stop} is true.
     *
     * <p>Both suppliers are asked in this thread, holding nothing of the barrier's, and must see
     * what was written before {@link #advanced} or a wake call. Once {@code stop} has returned true
     * it is not asked again, so it may take what it was waiting for, such as a lead.
     *
     * @return true if the target was reached; false if {@code stop} was true first
     */
    public boolean await(long target, LongSupplier current, BooleanSupplier stop) {
        assert target != NOBODY : "target=" + target;

        if (current.getAsLong() >= target) {
            return true;
        }
        if (stop.getAsBoolean()) {
            return false;
        }
        long token = site.counters().waitBegan();
        boolean reached = sleep(target, current, stop);
        site.counters().waitEnded(token);
        return reached;
    }

    private boolean sleep(long target, LongSupplier current, BooleanSupplier stop) {
        Waiter waiter = Waiter.current();
        waiter.storage = this;
        waiter.target = target;
        boolean interrupted = false;
        boolean reached = false;
        boolean stopped = false;
        try {
            while (!reached && !stopped) {
                enqueue(waiter);
                VarHandle.fullFence();
                reached = current.getAsLong() >= target;
                stopped = !reached && stop.getAsBoolean();
                if (!reached && !stopped) {
                    TestHooks.reached(BEFORE_PARK);
                    site.counters().countPark();
                    interrupted |= waiter.awaitSignal(site);
                    reached = current.getAsLong() >= target;
                    stopped = !reached && stop.getAsBoolean();
                }
            }
        } finally {
            // Also when a supplier has thrown: a waiter must never stay queued.
            interrupted |= leave(waiter);
            if (waiter.signal() == Waiter.HANDED && !stopped) {
                wakeFirst();
            }
            waiter.clear();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return reached;
    }

    /** Wakes those whose target {@code value} has reached. To be called after publishing it. */
    public void advanced(long value) {
        VarHandle.fullFence();
        if (lowestTarget <= value) {
            wake(value, Integer.MAX_VALUE, Waiter.TRY);
        }
    }

    /**
     * Wakes the waiter with the lowest target, which then asks its {@code stop} and sleeps again if
     * that is false. For handing on a role, such as the lead of a group commit: if that waiter's
     * target was reached just then, the call passes to the next.
     *
     * @return whether there was one
     */
    public boolean wakeFirst() {
        VarHandle.fullFence();
        return lowestTarget != NOBODY && wake(NOBODY, 1, Waiter.HANDED);
    }

    /** Wakes all; those whose target is not reached and who shall not stop sleep again. */
    public void wakeAll() {
        VarHandle.fullFence();
        if (lowestTarget != NOBODY) {
            wake(NOBODY, Integer.MAX_VALUE, Waiter.TRY);
        }
    }

    /** The lowest target that somebody sleeps for; {@link Long#MAX_VALUE} if nobody sleeps. */
    public long lowestTarget() {
        return lowestTarget;
    }

    private boolean wake(long value, int limit, int signal) {
        queue.lock();
        Waiter chain = null;
        Waiter chainEnd = null;
        int count = 0;
        Waiter waiter = queue.first();
        while (waiter != null && waiter.target <= value && count < limit) {
            queue.remove(waiter);
            if (chain == null) {
                chain = waiter;
            } else {
                chainEnd.next = waiter;
            }
            chainEnd = waiter;
            count++;
            waiter = queue.first();
        }
        publishLowest();
        queue.unlock();
        Waiter.signalAll(chain, signal);
        return count > 0;
    }

    private void enqueue(Waiter waiter) {
        waiter.prepare();
        queue.lock();
        Waiter position = queue.last();
        while (position != null && position.target > waiter.target) {
            position = position.previous;
        }
        queue.addAfter(position, waiter);
        publishLowest();
        queue.unlock();
    }

    /** Takes the waiter out, or waits for the signal of whoever has done so. */
    private boolean leave(Waiter waiter) {
        if (waiter.signal() != Waiter.NONE) {
            return false;
        }
        queue.lock();
        boolean queued = waiter.isQueued();
        if (queued) {
            queue.remove(waiter);
            publishLowest();
        }
        queue.unlock();
        return !queued && waiter.awaitSignal(site);
    }

    private void publishLowest() {
        assert queue.isHeld() : "lowest target changed without the lock";

        Waiter first = queue.first();
        lowestTarget = first == null ? NOBODY : first.target;
    }
}
