// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Five writes among ninety-five reads. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LatchMixedBenchmark {
    @Benchmark
    public long latch(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.latch.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.latch.read(state.tokens()));
    }

    @Benchmark
    public long optimistic(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.optimistic.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.optimistic.read(state.tokens()));
    }

    @Benchmark
    public long latchArray(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.latchArray.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.latchArray.read(state.tokens()));
    }

    @Benchmark
    public long bufferLatch(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.bufferLatch.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.bufferLatch.read(state.tokens()));
    }

    @Benchmark
    public long readWriteLock(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.readWriteLock.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.readWriteLock.read(state.tokens()));
    }

    @Benchmark
    public long stampedLock(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.stampedLock.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.stampedLock.read(state.tokens()));
    }

    @Benchmark
    public long stampedOptimistic(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.stampedOptimistic.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.stampedOptimistic.read(state.tokens()));
    }

    @Benchmark
    public long reentrantLock(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.reentrantLock.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.reentrantLock.read(state.tokens()));
    }

    @Benchmark
    public long monitor(LatchState state, Choice choice) {
        if (choice.isWrite()) {
            state.monitor.write(state.tokens());
            return 0;
        }
        return LatchState.checked(state.monitor.read(state.tokens()));
    }

    /** Says for each operation of a thread what it is. */
    @State(Scope.Thread)
    public static class Choice {
        private static final int OF = 20;

        private final SplittableRandom random = new SplittableRandom();

        boolean isWrite() {
            return random.nextInt(OF) == 0;
        }
    }
}
