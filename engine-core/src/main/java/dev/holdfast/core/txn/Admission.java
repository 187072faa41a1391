// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.AdmissionTimeoutException;
import dev.holdfast.EngineClosedException;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.AdmissionGate;
import java.time.Duration;

/** How many transactions may be active at once: any number, or as many as there are tickets. */
final class Admission {
    /*
     * The ticket is taken as the first thing of begin, before anything that others could wait for
     * is held, and given back as the last thing of the view's end. Whoever holds one needs no other
     * to get on: row locks are waited for by transactions that have theirs. Only a thread that
     * begins a second transaction inside its first waits for itself; the time limit ends that.
     *
     * Snapshots need none, and agents do not begin transactions.
     */
    private final int limit;
    private final long timeoutNanos;
    private final String storeName;
    private final EngineHealth health;
    private final AdmissionGate gate;

    /**
     * Open to all, or to so many.
     *
     * @param limit zero for no limit
     */
    Admission(int limit, long timeoutNanos, String storeName, EngineHealth health) {
        this.limit = limit;
        this.timeoutNanos = timeoutNanos;
        this.storeName = storeName;
        this.health = health;
        this.gate = new AdmissionGate(CoreSites.ADMISSION, limit);
        if (limit > 0) {
            health.onFailure(gate::wakeAll);
        }
    }

    /**
     * Waits for a ticket, with nothing held.
     *
     * @return whether there is one to give back
     */
    boolean enter() {
        if (limit == 0 || gate.tryEnter()) {
            return limit > 0;
        }
        long start = System.nanoTime();
        switch (gate.enterInterruptibly(0, timeoutNanos, health::failed)) {
            case ADMITTED -> {
                return true;
            }
            case TIMED_OUT -> {
                Duration waited = Duration.ofNanos(System.nanoTime() - start);
                throw new AdmissionTimeoutException(limit, waited);
            }
            case INTERRUPTED -> throw new WaitInterruptedException("transaction slot");
            case STOPPED -> {
                health.check();
                throw new EngineClosedException(storeName);
            }
        }
        throw new AssertionError("an entry that is none");
    }

    void leave() {
        gate.leave();
    }

    /** Nobody is let in any more; who waits is told that the engine is closed. */
    void close() {
        gate.close();
    }

    /** How many wait. Racy. */
    int waiting() {
        return gate.waiting();
    }
}
