// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.EngineClosedException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Where transactions sleep that want a place among the writers while all of one kind are taken:
 * undo segments, or cells of the transaction table.
 */
final class PlaceWait {
    /*
     * Nobody comes here while there are places. The attempt may read pages and append to the log,
     * so it is made without the lock; what must not be lost meanwhile is a place that becomes free.
     * A sleeper counts itself, reads the number of calls, and only then makes its attempt; who
     * gives a place back does that first and then reads the count. All are volatile, so either the
     * attempt finds the place or the number of calls has changed, and it is made again.
     *
     * One sleeper is woken for a place, the one that has slept longest. Whoever leaves, for
     * whatever reason, wakes the next: it may have taken one of several places, or not have used
     * the one that it was woken for.
     */
    private final String wanted;
    private final String storeName;
    private final EngineHealth health;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition called = lock.newCondition();
    private final AtomicInteger waiting = new AtomicInteger();

    /** Changed under the lock; read by anyone. */
    private final AtomicLong calls = new AtomicLong();

    private volatile boolean closed;

    /**
     * Nobody waits yet.
     *
     * @param wanted what a place is, for messages
     */
    PlaceWait(String wanted, String storeName, EngineHealth health) {
        this.wanted = wanted;
        this.storeName = storeName;
        this.health = health;
        health.onFailure(this::wakeAll);
    }

    /**
     * Tries until it gets a place, and sleeps in between.
     *
     * <p><b>Latches:</b> none held, and no epoch entered.
     *
     * @param attempt gives null if there is no place
     * @param startNanos when the caller began to wait for all that it wants
     */
    <T> T get(Supplier<T> attempt, long startNanos, long timeoutNanos) {
        T place;
        try {
            place = attempt.get();
        } catch (Throwable t) {
            // What it held for a moment and gave up may be what somebody waits for.
            freed();
            throw t;
        }
        return place != null ? place : await(attempt, startNanos, timeoutNanos);
    }

    private <T> T await(Supplier<T> attempt, long startNanos, long timeoutNanos) {
        CurrentWait wait = CurrentWait.begin(CoreSites.ADMISSION, 0);
        waiting.incrementAndGet();
        try {
            while (true) {
                long seen = calls.get();
                T place = attempt.get();
                if (place != null) {
                    return place;
                }
                sleep(seen, nanosLeft(startNanos, timeoutNanos));
            }
        } finally {
            waiting.decrementAndGet();
            wait.end();
            freed();
        }
    }

    private long nanosLeft(long startNanos, long timeoutNanos) {
        health.check();
        if (closed) {
            throw new EngineClosedException(storeName);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new WaitInterruptedException(wanted);
        }
        long waited = System.nanoTime() - startNanos;
        if (waited >= timeoutNanos) {
            CoreSites.ADMISSION.counters().countTimeout();
            throw new LockTimeoutException(wanted, Duration.ofNanos(waited));
        }
        return timeoutNanos - waited;
    }

    private void sleep(long seen, long nanos) {
        long left = nanos;
        lock.lock();
        try {
            while (calls.get() == seen && left > 0) {
                CoreSites.ADMISSION.counters().countPark();
                left = called.awaitNanos(left);
            }
        } catch (InterruptedException toldToTheCaller) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** To be called after a place was given back; a read and no more if nobody waits. */
    void freed() {
        if (waiting.get() > 0) {
            lock.lock();
            try {
                calls.incrementAndGet();
                called.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Nobody gets a place any more by waiting; who waits is told that the engine is closed. */
    void close() {
        closed = true;
        wakeAll();
    }

    private void wakeAll() {
        lock.lock();
        try {
            calls.incrementAndGet();
            called.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many sleep here. Racy. */
    int waiting() {
        return waiting.get();
    }
}
