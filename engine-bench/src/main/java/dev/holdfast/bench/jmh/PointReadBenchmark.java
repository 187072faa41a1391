// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.Snapshot;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One row by its key, uniformly chosen, all pages in the pool. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PointReadBenchmark {
    /**
     * Into the caller's buffer, in a snapshot that stays open: the whole cost of the read alone.
     */
    @Benchmark
    public int pointReadIntoBuffer(LoadedStore store, OpenSnapshot open, RandomKey key) {
        open.target.clear();
        return LoadedStore.checkedLength(open.snapshot.get(store.table(), key.next(), open.target));
    }

    /** Into a new array. */
    @Benchmark
    public byte[] pointReadIntoArray(LoadedStore store, OpenSnapshot open, RandomKey key) {
        return open.snapshot.get(store.table(), key.next());
    }

    /** Into the caller's buffer, in a snapshot of its own. */
    @Benchmark
    public int pointReadWithSnapshot(LoadedStore store, OpenSnapshot open, RandomKey key) {
        open.target.clear();
        try (Snapshot snapshot = store.engine().snapshot()) {
            return LoadedStore.checkedLength(snapshot.get(store.table(), key.next(), open.target));
        }
    }

    /** A snapshot and a buffer for each thread. */
    @State(Scope.Thread)
    public static class OpenSnapshot {
        private final ByteBuffer target = ByteBuffer.allocate(2 * LoadedStore.VALUE_BYTES);
        private Snapshot snapshot;

        /** Opens the snapshot. */
        @Setup(Level.Trial)
        public void open(LoadedStore store) {
            snapshot = store.engine().snapshot();
        }

        /** Ends the snapshot. */
        @TearDown(Level.Trial)
        public void close() {
            snapshot.close();
        }
    }
}
