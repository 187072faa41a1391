// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.DiskFullException;
import dev.holdfast.StorageException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/** Where threads sleep that want a free frame and found none; another one for promises of some. */
final class FreeFrameWait {
    /*
     * A JDK lock with a condition and not a latch: it sleeps with a time limit, in order of
     * arrival, and does not pin a virtual thread. Nobody comes here while frames are free.
     *
     * No wake-up is lost: a sleeper counts itself first and then tries once more; who frees a frame
     * pushes it first and then reads the count. Both are volatile, so one of the two sees the other.
     */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Where pages cannot be written for want of room. */
    private static final long FULL_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EngineHealth health;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Changed under the lock; read by anyone. */
    private final AtomicInteger waiting = new AtomicInteger();

    FreeFrameWait(EngineHealth health) {
        this.health = health;
        health.onFailure(this::wakeAll);
    }

    /** How many sleep here. */
    int waiting() {
        return waiting.get();
    }

    /**
     * Tries until it gets something that is not negative, and sleeps in between.
     *
     * <p><b>Latches:</b> none of a page, and none above.
     *
     * @param wakeCleaner run before each sleep
     * @throws StorageException when the limit is met
     * @throws DiskFullException the same, if pages cannot be written for want of room; the limit is
     *     short then, since room may take hours to come
     */
    int await(IntSupplier attempt, Runnable wakeCleaner) {
        assert HeldLatches.mayWaitFor(CoreSites.FREE_FRAME);

        CurrentWait wait = CurrentWait.begin(CoreSites.FREE_FRAME, 0);
        boolean interrupted = false;
        long left = LIMIT_NANOS;
        lock.lock();
        try {
            waiting.incrementAndGet();
            while (true) {
                health.check();
                int got = attempt.getAsInt();
                if (got >= 0) {
                    return got;
                }
                Exception outOfRoom = health.outOfRoom();
                if (outOfRoom != null && left <= LIMIT_NANOS - FULL_LIMIT_NANOS) {
                    CoreSites.FREE_FRAME.counters().countTimeout();
                    throw new DiskFullException("frames of the pool", 0, outOfRoom);
                }
                if (left <= 0) {
                    CoreSites.FREE_FRAME.counters().countTimeout();
                    throw new StorageException(
                            "no free frame in time: waitedMillis="
                                    + TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS)
                                    + ", waiting="
                                    + waiting.get(),
                            null);
                }
                wakeCleaner.run();
                CoreSites.FREE_FRAME.counters().countPark();
                try {
                    long most = Math.min(left, FULL_LIMIT_NANOS);
                    left -= most - changed.awaitNanos(most);
                } catch (InterruptedException keptForTheCaller) {
                    interrupted = true;
                }
            }
        } finally {
            waiting.decrementAndGet();
            lock.unlock();
            wait.end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** To be called after something was given back that one sleeper can use. */
    void freedOne() {
        if (waiting.get() > 0) {
            lock.lock();
            try {
                changed.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    /** To be called after something was given back that several may be able to use. */
    void freedSome() {
        if (waiting.get() > 0) {
            wakeAll();
        }
    }

    private void wakeAll() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
