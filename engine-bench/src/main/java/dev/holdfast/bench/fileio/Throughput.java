// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Operations of one kind in a time.
 *
 * @param operations that ended
 * @param bytes moved by them
 * @param nanos the time
 * @param latencies of the operations, in nanoseconds
 */
public record Throughput(long operations, long bytes, long nanos, Histogram latencies) {
    public double operationsPerSecond() {
        return operations * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }

    public double megabytesPerSecond() {
        return bytes * 1e3 / nanos;
    }

    /** A quantile of the operations' times, in microseconds; zero if there was none. */
    public double micros(double percentile) {
        return operations == 0 ? 0 : latencies.getValueAtPercentile(percentile) / 1e3;
    }

    public double maxMicros() {
        return operations == 0 ? 0 : latencies.getMaxValue() / 1e3;
    }
}
