// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.DiskFullException;
import dev.holdfast.LogSpaceTimeoutException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The room of the log between its end and the checkpoint, given out before latches are taken (P9).
 *
 * <p>What was acquired is released when the group is appended or given up. A part is kept for those
 * whose work frees room or ends transactions: rollback, purge, cleaner and checkpoint.
 */
public final class LogSpace {
    /*
     * Room is: end of the log + what is granted and not released <= checkpoint + limit.
     *
     * acquire adds its charge to 'granted' first and reads the end of the log after that. So of any
     * two, the one that added later sees the other's charge, as a grant or as appended bytes; the
     * sum grows by grants alone, and each grant that was kept has seen a sum within the limit.
     *
     * A charge is the group, the block headers inside it, and one block: a sync may pad the block
     * that a group ends in, and does so once, for the next padding needs another group (P3). The
     * padding behind the newest released group is in the slack.
     *
     * Waiting is the slow path: a lock and a condition, and whatever may have made room wakes all,
     * since the demands and limits of waiters differ. A fast acquire steps back while somebody
     * waits, so that a large demand is not starved by small ones; the reserve's users do not.
     *
     * field          written by                     read by       guard or mode
     * granted        all                            all           atomic
     * checkpointLsn  the checkpoint                 all           atomic, upwards
     * waiters        who waits                      all           atomic
     */
    private static final int RESERVE_PERCENT = 5;
    private static final int SLACK_BLOCKS = 3;

    private final LongSupplier appendLsn;
    private final EngineHealth health;
    private final long capacityBytes;
    private final long limitBytes;
    private final long reserveBytes;
    private final AtomicLong granted = new AtomicLong();
    private final AtomicLong checkpointLsn;
    private final AtomicInteger waiters = new AtomicInteger();

    /**
     * Nothing is granted. Written under the lock or by who set it; read after 'granted' was added.
     */
    private volatile boolean paused;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Runnable> pressureCallbacks = new CopyOnWriteArrayList<>();

    LogSpace(LongSupplier appendLsn, long checkpointLsn, RedoOptions options, EngineHealth health) {
        this.appendLsn = appendLsn;
        this.health = health;
        this.checkpointLsn = new AtomicLong(checkpointLsn);
        capacityBytes = options.layout().capacityBytes();
        limitBytes = capacityBytes - SLACK_BLOCKS * Lsn.BLOCK_BYTES;
        reserveBytes =
                Math.max(capacityBytes * RESERVE_PERCENT / 100, charge(options.groupBytesMax()));
        health.onFailure(this::wakeAll);
    }

    /**
     * Gets room for a group of that many bytes; nothing may be latched.
     *
     * @param deadlineNanos a value of {@code System.nanoTime()}
     * @throws LogSpaceTimeoutException if there was none in time
     * @throws DiskFullException the same, if it is a full disk that keeps the checkpoint back
     */
    public void acquire(int bytes, long deadlineNanos) {
        assert HeldLatches.mayWaitFor(CoreSites.LOG_SPACE);

        if (waiters.get() > 0 || !tryAcquireUnlocked(bytes, ageLimit())) {
            await(bytes, ageLimit(), deadlineNanos, true);
        }
    }

    /** The same from the reserve as well, and without a limit of time. */
    public void acquireReserved(int bytes) {
        assert HeldLatches.mayWaitFor(CoreSites.LOG_SPACE);

        if (!tryAcquireUnlocked(bytes, limitBytes)) {
            await(bytes, limitBytes, 0, false);
        }
    }

    /**
     * Lets nobody acquire room, reserved or not, and waits until all that was granted is released:
     * then no mini-transaction is under way and no page changes until {@link #resume}, by the same
     * thread. One caller at a time. An interrupt does not end the wait; the flag is kept.
     *
     * <p><b>Latches:</b> none held.
     *
     * @throws dev.holdfast.EngineFailedException if the engine fails meanwhile
     */
    public void pause() {
        assert HeldLatches.mayWaitFor(CoreSites.LOG_PAUSE);

        boolean interrupted = false;
        // Counted as a waiter, so that every release signals.
        waiters.incrementAndGet();
        lock.lock();
        try {
            assert !paused : "paused already";
            paused = true;
            if (granted.get() > 0) {
                interrupted = awaitNothingGranted();
            }
            assert HeldLatches.acquiredWithoutWaiting(CoreSites.LOG_PAUSE, 0);
        } catch (RuntimeException | Error e) {
            paused = false;
            changed.signalAll();
            throw e;
        } finally {
            waiters.decrementAndGet();
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The lock is held. Returns whether it was interrupted. */
    private boolean awaitNothingGranted() {
        CurrentWait wait = CurrentWait.begin(CoreSites.LOG_PAUSE, granted.get());
        boolean interrupted = false;
        try {
            while (granted.get() > 0) {
                health.check();
                CoreSites.LOG_PAUSE.counters().countPark();
                try {
                    changed.await();
                } catch (InterruptedException keptForTheCaller) {
                    interrupted = true;
                }
            }
        } finally {
            wait.end();
        }
        return interrupted;
    }

    /** Ends what {@link #pause} began. */
    public void resume() {
        assert HeldLatches.released(CoreSites.LOG_PAUSE, 0);
        paused = false;
        wakeAll();
    }

    /** Gives back what was acquired, after the group was appended or given up. Never waits long. */
    public void release(int bytes) {
        long rest = granted.addAndGet(-charge(bytes));
        assert rest >= 0 : "granted=" + rest;

        wakeWaiters();
    }

    /** The checkpoint record with this LSN is durable: what lies below may be overwritten. */
    public void checkpointAdvanced(long lsn) {
        assert lsn <= appendLsn.getAsLong() : "checkpoint above the log's end: lsn=" + lsn;

        checkpointLsn.accumulateAndGet(lsn, Math::max);
        wakeWaiters();
    }

    public long checkpointLsn() {
        return checkpointLsn.get();
    }

    /** The distance from the checkpoint to the log's end. */
    public long age() {
        long checkpoint = checkpointLsn.get();
        return appendLsn.getAsLong() - checkpoint;
    }

    public long capacity() {
        return capacityBytes;
    }

    /** The age at which ordinary work begins to wait. */
    public long ageLimit() {
        return limitBytes - reserveBytes;
    }

    /** What is granted and not yet released. */
    public long granted() {
        return granted.get();
    }

    /** Registers what is run when somebody begins to wait: it wakes who can free room. */
    public void onPressure(Runnable callback) {
        pressureCallbacks.add(callback);
    }

    /** What a group of that many bytes may take of the log at most. */
    static long charge(int bytes) {
        long payload = Lsn.aligned(bytes);
        return payload + BlockHeader.BYTES * (payload / Lsn.PAYLOAD + 1) + Lsn.BLOCK_BYTES;
    }

    /** A charge that was added for a moment may have sent a waiter back to sleep. */
    private boolean tryAcquireUnlocked(int bytes, long limit) {
        boolean got = tryAcquire(bytes, limit);
        if (!got) {
            wakeWaiters();
        }
        return got;
    }

    private boolean tryAcquire(int bytes, long limit) {
        long charge = charge(bytes);
        long sum = granted.addAndGet(charge);
        if (paused) {
            granted.addAndGet(-charge);
            return false;
        }
        // The order matters: the checkpoint only grows, so an old value errs to the safe side.
        long checkpoint = checkpointLsn.get();
        if (appendLsn.getAsLong() + sum - checkpoint <= limit) {
            return true;
        }
        granted.addAndGet(-charge);
        return false;
    }

    private void await(int bytes, long limit, long deadlineNanos, boolean timed) {
        long began = System.nanoTime();
        CurrentWait wait = CurrentWait.begin(CoreSites.LOG_SPACE, bytes);
        boolean interrupted = false;
        boolean got = false;
        waiters.incrementAndGet();
        lock.lock();
        try {
            got = tryAcquire(bytes, limit);
            while (!got) {
                health.check();
                pressureCallbacks.forEach(Runnable::run);
                // A pause is not counted against the waiter: it says nothing of the log's room.
                boolean limited = timed && !paused;
                long left = limited ? deadlineNanos - System.nanoTime() : Long.MAX_VALUE;
                if (left <= 0) {
                    throw timedOut(bytes, began);
                }
                CoreSites.LOG_SPACE.counters().countPark();
                try {
                    changed.awaitNanos(left);
                } catch (InterruptedException keptForTheCaller) {
                    interrupted = true;
                }
                got = tryAcquire(bytes, limit);
            }
        } finally {
            waiters.decrementAndGet();
            lock.unlock();
            wait.end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private RuntimeException timedOut(int bytes, long began) {
        Exception outOfRoom = health.outOfRoom();
        if (outOfRoom != null) {
            return new DiskFullException("redo", charge(bytes), outOfRoom);
        }
        return new LogSpaceTimeoutException(
                charge(bytes), capacityBytes, Duration.ofNanos(System.nanoTime() - began));
    }

    private void wakeWaiters() {
        if (waiters.get() > 0) {
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
