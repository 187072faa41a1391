// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.Cursor;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.infra.Blackhole;

/** Rows in key order through views, all pages in the pool. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ScanBenchmark {
    private static final int ROWS = 100;

    /** A hundred rows from a random one on, with a snapshot and a cursor of its own. */
    @Benchmark
    public int scanHundred(LoadedStore store, RandomKey key, Blackhole used) {
        return scan(store, Range.atLeast(key.next()), ROWS, used);
    }

    /** The whole table. */
    @Benchmark
    public int scanAll(LoadedStore store, Blackhole used) {
        return scan(store, Range.all(), Integer.MAX_VALUE, used);
    }

    private static int scan(LoadedStore store, Range range, int rowsMax, Blackhole used) {
        int rows = 0;
        try (Snapshot snapshot = store.engine().snapshot();
                Cursor cursor = snapshot.cursor(store.table(), range)) {
            while (rows < rowsMax && cursor.next()) {
                used.consume(cursor.keyView().get(0));
                used.consume(cursor.valueView().get(0));
                rows++;
            }
        }
        return rows;
    }
}
