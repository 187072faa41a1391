// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import org.HdrHistogram.Histogram;

/** Operations of one kind, with their times. For one thread, or once threads are done. */
final class Tally {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Histogram nanos = new Histogram(SIGNIFICANT_DIGITS);
    private long bytes;

    void add(long startNanos, long endNanos, long moved) {
        nanos.recordValue(Math.max(0, endNanos - startNanos));
        bytes += moved;
    }

    void add(Tally other) {
        nanos.add(other.nanos);
        bytes += other.bytes;
    }

    /** What came of it in so long a time. */
    Throughput over(long elapsedNanos) {
        return new Throughput(nanos.getTotalCount(), bytes, elapsedNanos, nanos);
    }
}
