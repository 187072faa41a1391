// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.CloseMode;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.bench.workload.RowKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A store in temporary files with one table, loaded and held whole in the pool. */
@State(Scope.Benchmark)
public class LoadedStore {
    static final int VALUE_BYTES = 100;
    static final TransactionOptions LAZY =
            TransactionOptions.defaults().durability(Durability.LAZY);

    private static final long POOL_BYTES = 512L << 20;
    private static final long REDO_CAPACITY_BYTES = 512L << 20;
    private static final int LOAD_ROWS = 1_000;

    /** Rows of the table. */
    @Param("1000000")
    public long rows;

    private Path directory;
    private Engine engine;
    private Table table;

    /** Loads the table and writes it out, so that nothing of the load goes on. */
    @Setup(Level.Trial)
    public void load() throws IOException {
        directory = Files.createTempDirectory("holdfast-jmh-");
        engine =
                Engine.open(
                        directory,
                        EngineOptions.builder()
                                .poolBytes(POOL_BYTES)
                                .redoCapacityBytes(REDO_CAPACITY_BYTES)
                                .closeMode(CloseMode.FAST)
                                .build());
        table = engine.table("rows");
        SplittableRandom random = new SplittableRandom(1);
        byte[] key = new byte[RowKeys.KEY_BYTES];
        byte[] value = new byte[VALUE_BYTES];
        for (long from = 0; from < rows; from += LOAD_ROWS) {
            try (Transaction transaction = engine.begin(LAZY)) {
                for (long row = from; row < Math.min(rows, from + LOAD_ROWS); row++) {
                    RowKeys.fill(key, row);
                    random.nextBytes(value);
                    transaction.put(table, key, value);
                }
                transaction.commit();
            }
        }
        engine.checkpoint();
    }

    /** Closes the store and removes its files. */
    @TearDown(Level.Trial)
    public void remove() throws IOException {
        engine.close();
        List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(directory)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.delete(each);
        }
    }

    Engine engine() {
        return engine;
    }

    Table table() {
        return table;
    }

    /** Checks what a read returned, so that a benchmark of nothing does not go unseen. */
    static int checkedLength(int length) {
        if (length != VALUE_BYTES) {
            throw new IllegalStateException("row read wrong: length=" + length);
        }
        return length;
    }
}
