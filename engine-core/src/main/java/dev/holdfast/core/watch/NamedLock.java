// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock whose holder may wait for files and for the log, which the holder of a latch may not; its
 * waits are counted and seen at a site. Its rank is below those of all latches of pages and of
 * granted log space, so it is taken before them, also by virtual threads.
 */
public final class NamedLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final CoreSites site;
    private final long key;

    /**
     * Makes a free lock.
     *
     * @param key tells this lock from others of its site, for the eye
     */
    public NamedLock(CoreSites site, long key) {
        this.site = site;
        this.key = key;
    }

    /** Waits for the lock, without a limit; an interrupt does not end the wait. */
    public void lock() {
        assert HeldLatches.mayWaitFor(site);

        if (!lock.tryLock()) {
            CurrentWait wait = CurrentWait.begin(site, key);
            try {
                lock.lock();
            } finally {
                wait.end();
            }
        }
        assert HeldLatches.acquiredWithoutWaiting(site, key);
    }

    /** Takes the lock if it is free. */
    public boolean tryLock() {
        boolean got = lock.tryLock();
        assert !got || HeldLatches.acquiredWithoutWaiting(site, key);
        return got;
    }

    public void unlock() {
        assert HeldLatches.released(site, key);
        lock.unlock();
    }
}
