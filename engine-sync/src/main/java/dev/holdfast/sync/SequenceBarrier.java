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
     * field          written by             read by        guard or mode
     * waiters        waiters, advancers     the same       their lock
     * lowestTarget   waiters, advancers     advancers      written under the lock, read volatile
     */

    static final String BEFORE_PARK = "sync.barrierBeforePark";
    static final String AFTER_PARK = "sync.barrierAfterPark";

    private static final long NOBODY = Long.MAX_VALUE;

    private final SortedWaiters waiters = new SortedWaiters();
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
        return await(target, current, stop, false, 0) == End.REACHED;
    }

    /** The same, for at most that time. What has come by then counts, however late it is seen. */
    public End await(long target, LongSupplier current, BooleanSupplier stop, long timeoutNanos) {
        return await(target, current, stop, true, System.nanoTime() + timeoutNanos);
    }

    private End await(
            long target,
            LongSupplier current,
            BooleanSupplier stop,
            boolean isTimed,
            long deadlineNanos) {
        assert target != NOBODY : "target=" + target;

        if (current.getAsLong() >= target) {
            return End.REACHED;
        }
        if (stop.getAsBoolean()) {
            return End.STOPPED;
        }
        long token = site.counters().waitBegan();
        End end = sleep(target, current, stop, isTimed, deadlineNanos);
        site.counters().waitEnded(token);
        if (end == End.TIMED_OUT) {
            site.counters().countTimeout();
        }
        return end;
    }

    private End sleep(
            long target,
            LongSupplier current,
            BooleanSupplier stop,
            boolean isTimed,
            long deadlineNanos) {
        Waiter waiter = Waiter.current();
        waiter.storage = this;
        waiter.target = target;
        CurrentWait note = null;
        boolean interrupted = false;
        End end = null;
        try {
            while (end == null) {
                enqueue(waiter);
                VarHandle.fullFence();
                end = endIfAny(target, current, stop);
                if (end == null) {
                    TestHooks.reached(BEFORE_PARK);
                    note = note == null ? CurrentWait.sleeping(site, this, target) : note;
                    site.counters().countPark();
                    interrupted |=
                            isTimed
                                    ? waiter.awaitSignalUntil(site, deadlineNanos)
                                    : waiter.awaitSignal(site);
                    TestHooks.reached(AFTER_PARK);
                    end = endIfAny(target, current, stop);
                    if (end == null && isTimed && deadlineNanos - System.nanoTime() <= 0) {
                        end = End.TIMED_OUT;
                    }
                }
            }
        } finally {
            // Also when a supplier has thrown: a waiter must never stay queued.
            interrupted |= leave(waiter);
            if (waiter.signal() == Waiter.HANDED && end != End.STOPPED) {
                wakeFirst();
            }
            waiter.clear();
            if (note != null) {
                note.end();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return end;
    }

    /** Why the wait is over; null if it goes on. */
    private static End endIfAny(long target, LongSupplier current, BooleanSupplier stop) {
        if (current.getAsLong() >= target) {
            return End.REACHED;
        }
        return stop.getAsBoolean() ? End.STOPPED : null;
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
        waiters.lock();
        Waiter chain = waiters.takeUpTo(value, limit);
        publishLowest();
        waiters.unlock();
        Waiter.signalAll(chain, signal);
        return chain != null;
    }

    private void enqueue(Waiter waiter) {
        waiter.prepare();
        waiters.lock();
        waiters.add(waiter);
        publishLowest();
        waiters.unlock();
    }

    /** Takes the waiter out, or waits for the signal of whoever has done so. */
    private boolean leave(Waiter waiter) {
        if (waiter.signal() != Waiter.NONE) {
            return false;
        }
        waiters.lock();
        boolean queued = waiter.isQueued();
        if (queued) {
            waiters.remove(waiter);
            publishLowest();
        }
        waiters.unlock();
        return !queued && waiter.awaitSignal(site);
    }

    private void publishLowest() {
        assert waiters.isLocked() : "lowest target changed without the lock";

        Waiter first = waiters.first();
        lowestTarget = first == null ? NOBODY : first.target;
    }

    /** How a wait has ended. */
    public enum End {
        /** The number has reached the target. */
        REACHED,
        /** The caller's {@code stop} was true. */
        STOPPED,
        /** The time is up. */
        TIMED_OUT
    }
}
