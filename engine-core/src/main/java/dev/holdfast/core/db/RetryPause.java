// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.AdmissionTimeoutException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.LogSpaceTimeoutException;
import dev.holdfast.RetryableException;
import dev.holdfast.WriteConflictException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.sync.CurrentWait;
import java.util.concurrent.locks.LockSupport;

/**
 * The pause before work is run again that lost against other work: longer each time, and uneven.
 * Counts what it was for and how long it took.
 */
final class RetryPause {
    private static final long FIRST_NANOS = 20_000;
    private static final int DOUBLINGS_MAX = 10;

    private final Counters counters;

    RetryPause(Counters counters) {
        this.counters = counters;
    }

    /** Pauses after the attempt that lost; an interrupt ends it and is kept. */
    void after(RetryableException lost, int attempt) {
        counters.increment(counterOf(lost));
        long limit = FIRST_NANOS << Math.min(attempt, DOUBLINGS_MAX);
        // Uneven, so that two that met do not meet again; the clock's low bits will do.
        long began = System.nanoTime();
        long spread = Long.remainderUnsigned(began * 0x9E37_79B9_7F4A_7C15L, limit);
        CurrentWait wait = CurrentWait.begin(CoreSites.WRITE_RETRY, attempt);
        try {
            LockSupport.parkNanos(RetryPause.class, limit / 2 + spread / 2);
        } finally {
            wait.end();
        }
        counters.add(Counter.WRITE_RETRY_NANOS, System.nanoTime() - began);
    }

    private static Counter counterOf(RetryableException lost) {
        if (lost instanceof WriteConflictException) {
            return Counter.WRITE_RETRIES_CONFLICT;
        }
        if (lost instanceof LockTimeoutException) {
            return Counter.WRITE_RETRIES_LOCK;
        }
        if (lost instanceof AdmissionTimeoutException) {
            return Counter.WRITE_RETRIES_ADMISSION;
        }
        assert lost instanceof LogSpaceTimeoutException : "cause without a counter: " + lost;
        return Counter.WRITE_RETRIES_LOG_SPACE;
    }
}
