// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets requests take as long as {@link Latency} says, so many at a time. Interrupts shorten
 * nothing, and their flag is kept.
 */
final class DeviceQueue {
    private final Latency latency;
    private final Semaphore places;
    private final SeededRandom random;

    DeviceQueue(Latency latency, int depth, SeededRandom random) {
        this.latency = latency;
        this.places = new Semaphore(depth, true);
        this.random = random;
    }

    void serve(Operation operation, int bytes) {
        if (latency == Latency.NONE) {
            return;
        }
        long nanos;
        synchronized (random) {
            nanos = latency.nanos(operation, bytes, random);
        }
        if (nanos <= 0) {
            return;
        }
        places.acquireUninterruptibly();
        try {
            waitNanos(nanos);
        } finally {
            places.release();
        }
    }

    static void waitNanos(long nanos) {
        long start = System.nanoTime();
        boolean wasInterrupted = false;
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            LockSupport.parkNanos(left);
            wasInterrupted |= Thread.interrupted();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
