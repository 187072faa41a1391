// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import java.util.concurrent.locks.LockSupport;

/**
 * The pause before work is run again that lost against other work: longer each time, and uneven.
 */
final class RetryPause {
    private static final long FIRST_NANOS = 20_000;
    private static final int DOUBLINGS_MAX = 10;

    private RetryPause() {}

    /** Pauses; an interrupt ends it and is kept. */
    static void beforeAttempt(int attempt) {
        long limit = FIRST_NANOS << Math.min(attempt, DOUBLINGS_MAX);
        // Uneven, so that two that met do not meet again; the clock's low bits will do.
        long spread = Long.remainderUnsigned(System.nanoTime() * 0x9E37_79B9_7F4A_7C15L, limit);
        LockSupport.parkNanos(RetryPause.class, limit / 2 + spread / 2);
    }
}
