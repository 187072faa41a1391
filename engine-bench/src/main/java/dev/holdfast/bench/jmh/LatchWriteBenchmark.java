// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Acquire exclusively, change two numbers, release. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LatchWriteBenchmark {
    @Benchmark
    public void latch(LatchState state) {
        state.latch.write(state.tokens());
    }

    @Benchmark
    public void latchArray(LatchState state) {
        state.latchArray.write(state.tokens());
    }

    @Benchmark
    public void bufferLatch(LatchState state) {
        state.bufferLatch.write(state.tokens());
    }

    @Benchmark
    public void readWriteLock(LatchState state) {
        state.readWriteLock.write(state.tokens());
    }

    @Benchmark
    public void stampedLock(LatchState state) {
        state.stampedLock.write(state.tokens());
    }

    @Benchmark
    public void reentrantLock(LatchState state) {
        state.reentrantLock.write(state.tokens());
    }

    @Benchmark
    public void monitor(LatchState state) {
        state.monitor.write(state.tokens());
    }
}
