// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Counts by second since a start, such as rows written. Safe for many threads. */
public final class TimeSeries {
    private static final int SECONDS_MAX = 24 * 60 * 60;

    private final String name;
    private final long startNanos;

    /** Guarded by this. */
    private long[] counts = new long[64];

    /** One more than the last second that counted anything. Guarded by this. */
    private int seconds;

    public TimeSeries(String name, long startNanos) {
        this.name = name;
        this.startNanos = startNanos;
    }

    public String name() {
        return name;
    }

    /**
     * Adds a count to the second in which the time lies; one past a day goes to its last second.
     */
    public synchronized void add(long nowNanos, long count) {
        long second = TimeUnit.NANOSECONDS.toSeconds(Math.max(0, nowNanos - startNanos));
        int index = (int) Math.min(second, SECONDS_MAX - 1L);
        if (index >= counts.length) {
            counts = Arrays.copyOf(counts, Math.max(index + 1, 2 * counts.length));
        }
        counts[index] += count;
        seconds = Math.max(seconds, index + 1);
    }

    /** Returns the count of each second, from the start to the last that has any. */
    public synchronized long[] perSecond() {
        return Arrays.copyOf(counts, seconds);
    }
}
