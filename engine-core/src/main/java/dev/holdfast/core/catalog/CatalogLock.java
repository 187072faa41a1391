// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.LockTimeoutException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread at a time change the catalog. A lock and not a latch: its holder waits for file
 * growth and for the log. Taken with no latch and no log space held.
 */
final class CatalogLock {
    private static final int KEY = 0;

    private final ReentrantLock lock = new ReentrantLock();
    private final Counters counters;
    private final EngineHealth health;
    private final long limitNanos;

    CatalogLock(Counters counters, EngineHealth health, long limitNanos) {
        this.counters = counters;
        this.health = health;
        this.limitNanos = limitNanos;
    }

    /**
     * Waits for the lock; an interrupt does not end the wait and is kept.
     *
     * @throws LockTimeoutException if others held it for too long
     */
    void lock() {
        if (lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("catalog is changed from within a change");
        }
        assert HeldLatches.mayWaitFor(CoreSites.CATALOG);

        if (!lock.tryLock() && !await()) {
            CoreSites.CATALOG.counters().countTimeout();
            throw new LockTimeoutException("catalog", Duration.ofNanos(limitNanos));
        }
        locked();
    }

    /** Waits without a limit, for drops that have begun; the holder needs nothing of theirs. */
    void lockUnlimited() {
        assert HeldLatches.mayWaitFor(CoreSites.CATALOG);

        if (!lock.tryLock()) {
            counters.increment(Counter.CATALOG_WAITS);
            CurrentWait wait = CurrentWait.begin(CoreSites.CATALOG, 0);
            lock.lock();
            wait.end();
        }
        locked();
    }

    void unlock() {
        assert HeldLatches.released(CoreSites.CATALOG, KEY);
        lock.unlock();
    }

    private void locked() {
        assert HeldLatches.acquiredWithoutWaiting(CoreSites.CATALOG, KEY);
        if (health.failed()) {
            unlock();
            health.check();
        }
    }

    private boolean await() {
        counters.increment(Counter.CATALOG_WAITS);
        CurrentWait wait = CurrentWait.begin(CoreSites.CATALOG, 0);
        long deadline = System.nanoTime() + limitNanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException keptForTheCaller) {
                    interrupted = true;
                }
            }
        } finally {
            wait.end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
