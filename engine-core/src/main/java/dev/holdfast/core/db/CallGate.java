// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.EngineClosedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.CurrentWait;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the calls that work on the engine itself, so that its close can refuse new ones and wait
 * for those that run. Calls on transactions and snapshots do not come here.
 */
final class CallGate {
    /*
     * One word: the running calls, and a bit for closing. Entering adds first and looks then, so a
     * call either sees the bit, or is seen by the closer, who sets it first and looks then.
     */
    private static final long CLOSING = 1L << 62;
    private static final long PARK_NANOS = 1_000_000;

    private final String storeName;
    private final AtomicLong word = new AtomicLong();

    CallGate(String storeName) {
        this.storeName = storeName;
    }

    /**
     * Begins a call.
     *
     * @throws EngineClosedException if the engine is closing or closed
     */
    void enter() {
        if (!tryEnter()) {
            throw new EngineClosedException(storeName);
        }
    }

    /** Begins a call, or returns false if the engine is closing or closed. */
    boolean tryEnter() {
        if ((word.incrementAndGet() & CLOSING) != 0) {
            word.decrementAndGet();
            return false;
        }
        return true;
    }

    void leave() {
        word.decrementAndGet();
    }

    boolean isClosing() {
        return (word.get() & CLOSING) != 0;
    }

    /** Refuses entry from now on. */
    void close() {
        word.getAndUpdate(value -> value | CLOSING);
    }

    /**
     * Waits for the calls that are inside. The interrupt flag is kept.
     *
     * @return whether all have left within the limit
     */
    boolean drain(long timeoutNanos) {
        if (word.get() == CLOSING) {
            return true;
        }
        long deadline = System.nanoTime() + timeoutNanos;
        boolean interrupted = false;
        CurrentWait wait = CurrentWait.begin(CoreSites.CLOSE_CALLS, word.get() & ~CLOSING);
        try {
            while (word.get() != CLOSING && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(this, PARK_NANOS);
                interrupted |= Thread.interrupted();
            }
        } finally {
            wait.end();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return word.get() == CLOSING;
    }
}
