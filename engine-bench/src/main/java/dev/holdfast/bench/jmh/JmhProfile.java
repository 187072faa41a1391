// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** How long benchmarks run, and on how many rows. */
public enum JmhProfile {
    /** Seconds in all: shows that they work. */
    SMOKE(1, 1, 1, 50, 20_000),
    /** Minutes: before and after a change. */
    QUICK(1, 3, 5, 1_000, 1_000_000),
    /** For publishing. */
    FULL(3, 5, 8, 2_000, 1_000_000);

    private final int forks;
    private final int warmups;
    private final int measurements;
    private final int iterationMillis;
    private final long rows;

    JmhProfile(int forks, int warmups, int measurements, int iterationMillis, long rows) {
        this.forks = forks;
        this.warmups = warmups;
        this.measurements = measurements;
        this.iterationMillis = iterationMillis;
        this.rows = rows;
    }

    /** Returns options for the benchmarks whose names a pattern is found in. */
    public ChainedOptionsBuilder options(String pattern, int threads) {
        return new OptionsBuilder()
                .include(pattern)
                .threads(threads)
                .forks(forks)
                .warmupIterations(warmups)
                .warmupTime(TimeValue.milliseconds(iterationMillis))
                .measurementIterations(measurements)
                .measurementTime(TimeValue.milliseconds(iterationMillis))
                .param("rows", Long.toString(rows))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true);
    }
}
