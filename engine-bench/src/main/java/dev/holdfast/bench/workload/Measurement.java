// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What a phase came to.
 *
 * @param title of the phase
 * @param units rows or transactions done in the time measured
 * @param nanos the time measured
 * @param latencies of the operations, in nanoseconds
 * @param allocatedBytes on the heap by the phase's threads
 * @param cpuNanos of this process
 * @param otherCpuShare of the machine that other processes used, from 0 to 1; negative if unknown
 * @param commits with changes
 * @param logSyncs of the redo log
 * @param retries of transactions that lost
 */
public record Measurement(
        String title,
        long units,
        long nanos,
        Histogram latencies,
        long allocatedBytes,
        long cpuNanos,
        double otherCpuShare,
        long commits,
        long logSyncs,
        long retries) {
    public double unitsPerSecond() {
        return units * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }

    public double unitsPerCpuSecond() {
        return cpuNanos <= 0 ? 0 : units * (double) TimeUnit.SECONDS.toNanos(1) / cpuNanos;
    }

    public double allocatedBytesPerUnit() {
        return units == 0 ? 0 : (double) allocatedBytes / units;
    }

    public double commitsPerSync() {
        return logSyncs == 0 ? 0 : (double) commits / logSyncs;
    }

    /** A quantile of the operations' times, in microseconds. */
    public double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e3;
    }

    public double maxMicros() {
        return latencies.getMaxValue() / 1e3;
    }
}
