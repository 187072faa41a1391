// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.sync.CurrentWait;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock whose holder may wait for files and for the log, which the holder of a latch may not; its
 * waits are counted and seen at a site. Taken with no latch held, also by virtual threads.
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
        if (!lock.tryLock()) {
            CurrentWait wait = CurrentWait.begin(site, key);
            try {
                lock.lock();
            } finally {
                wait.end();
            }
        }
    }

    /** Takes the lock if it is free. */
    public boolean tryLock() {
        return lock.tryLock();
    }

    public void unlock() {
        lock.unlock();
    }
}
