// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.concurrent.locks.LockSupport;

/** The time by which a disk is slow. */
public interface DiskClock {
    /** The real time: for benchmarks on a device of known figures. */
    DiskClock REAL =
            new DiskClock() {
                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void awaitUntil(long nanos) {
                    boolean wasInterrupted = false;
                    for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
                        LockSupport.parkNanos(left);
                        wasInterrupted |= Thread.interrupted();
                    }
                    if (wasInterrupted) {
                        Thread.currentThread().interrupt();
                    }
                }
            };

    /** The time now; only differences mean something. */
    long nanos();

    /** Waits until it is that late. Interrupts shorten nothing, and their flag is kept. */
    void awaitUntil(long nanos);
}
