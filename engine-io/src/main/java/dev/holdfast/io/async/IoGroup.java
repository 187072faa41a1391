// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.CurrentWait;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests that one thread submits and then waits for together. For one thread at a time; can be
 * used again when all have ended.
 */
public final class IoGroup {
    /*
     * underWay is counted up by the owner before a request is submitted, and down by IO threads
     * after its outcome is written; who brings it to zero unparks the owner. The owner's reading of
     * zero makes the outcomes and the bytes visible.
     */
    private final IoScheduler scheduler;
    private final IoClass who;
    private final AtomicInteger underWay = new AtomicInteger();

    /** The owner while it waits or may be about to. */
    private volatile Thread waiter;

    public IoGroup(IoScheduler scheduler, IoClass who) {
        this.scheduler = scheduler;
        this.who = who;
    }

    /** A request of this group, to be prepared, submitted here and used again. */
    public IoRequest newRequest() {
        return new IoRequest((request, failure) -> ended());
    }

    /**
     * Submits a request of the group; waits for a place if there is none.
     *
     * @throws IOException if the scheduler is closed; the request is then not under way
     */
    public void submit(IoRequest request) throws IOException {
        waiter = Thread.currentThread();
        underWay.incrementAndGet();
        boolean isSubmitted = false;
        try {
            scheduler.submit(who, request);
            isSubmitted = true;
        } finally {
            if (!isSubmitted) {
                underWay.decrementAndGet();
            }
        }
    }

    /**
     * Returns when all that was submitted has ended; what came of each, {@link IoRequest#failure}
     * tells. An interrupt does not end the wait; the flag is kept.
     */
    public void await() {
        if (underWay.get() == 0) {
            return;
        }
        CurrentWait wait = CurrentWait.begin(IoSites.IO_GROUP, underWay.get());
        boolean wasInterrupted = false;
        while (underWay.get() > 0) {
            IoSites.IO_GROUP.counters().countPark();
            LockSupport.park(this);
            wasInterrupted |= Thread.interrupted();
        }
        wait.end();
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended() {
        Thread owner = waiter;
        if (underWay.decrementAndGet() == 0) {
            LockSupport.unpark(owner);
        }
    }
}
