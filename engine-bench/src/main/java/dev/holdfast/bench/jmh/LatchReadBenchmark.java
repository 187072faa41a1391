// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** Acquire for reading, read two numbers, release; or the same without holding anything. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LatchReadBenchmark {
    @Benchmark
    public long latch(LatchState state) {
        return LatchState.checked(state.latch.read(state.tokens()));
    }

    @Benchmark
    public long optimistic(LatchState state) {
        return LatchState.checked(state.optimistic.read(state.tokens()));
    }

    @Benchmark
    public long latchArray(LatchState state) {
        return LatchState.checked(state.latchArray.read(state.tokens()));
    }

    @Benchmark
    public long bufferLatch(LatchState state) {
        return LatchState.checked(state.bufferLatch.read(state.tokens()));
    }

    @Benchmark
    public long readWriteLock(LatchState state) {
        return LatchState.checked(state.readWriteLock.read(state.tokens()));
    }

    @Benchmark
    public long stampedLock(LatchState state) {
        return LatchState.checked(state.stampedLock.read(state.tokens()));
    }

    @Benchmark
    public long stampedOptimistic(LatchState state) {
        return LatchState.checked(state.stampedOptimistic.read(state.tokens()));
    }

    @Benchmark
    public long reentrantLock(LatchState state) {
        return LatchState.checked(state.reentrantLock.read(state.tokens()));
    }

    @Benchmark
    public long monitor(LatchState state) {
        return LatchState.checked(state.monitor.read(state.tokens()));
    }
}
