// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Who waits for room on a full disk, and when that is told of. */
final class FullDisk {
    /*
     * The disk is full while anybody waits: one file may take a write while another finds no room,
     * and who must decide whether to wait for a frame or for log space is not to be told what was
     * true of the last write alone. Takes no memory, for it is told of where memory may be short.
     */
    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final AtomicLong met = new AtomicLong();

    /** Guarded by the monitor. */
    private int waiting;

    /** Whether it was told of since there was room; guarded by the monitor. */
    private boolean isTold;

    /** Whether it was ever told of, and when last; guarded by the monitor. */
    private boolean wasTold;

    private long toldNanos;

    /** The newest refusal, or null if nobody waits. Written under the monitor. */
    private volatile Exception refusal;

    FullDisk(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns whether it is to be told of now. */
    synchronized boolean refused(boolean waitsAlready, Exception newest) {
        met.incrementAndGet();
        refusal = newest;
        waiting += waitsAlready ? 0 : 1;
        long now = nanoTime.getAsLong();
        if (isTold || (wasTold && now - toldNanos < WARNING_NANOS)) {
            return false;
        }
        isTold = true;
        wasTold = true;
        toldNanos = now;
        return true;
    }

    synchronized void over() {
        waiting--;
        if (waiting == 0) {
            refusal = null;
            isTold = false;
        }
    }

    Exception refusal() {
        return refusal;
    }

    long met() {
        return met.get();
    }
}
