// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.Transaction;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** A transaction that sets one row, uniformly chosen, and commits without waiting for the disk. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UpdateBenchmark {
    /** Begin, put, commit. */
    @Benchmark
    public void updateLazily(LoadedStore store, RandomKey key, NewValue value) {
        try (Transaction transaction = store.engine().begin(LoadedStore.LAZY)) {
            transaction.put(store.table(), key.next(), value.next());
            transaction.commit();
        }
    }

    /** Values that differ, one array a thread. */
    @State(Scope.Thread)
    public static class NewValue {
        private final byte[] value = new byte[LoadedStore.VALUE_BYTES];
        private SplittableRandom random;

        /** Gives each thread bytes of its own. */
        @Setup(Level.Trial)
        public void begin(ThreadParams thread) {
            random = new SplittableRandom(thread.getThreadIndex());
        }

        byte[] next() {
            random.nextBytes(value);
            return value;
        }
    }
}
