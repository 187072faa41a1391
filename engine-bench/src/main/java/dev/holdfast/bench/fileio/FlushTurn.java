// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.Durability;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.bench.report.EngineCounts;
import dev.holdfast.bench.workload.PhaseRunner;
import dev.holdfast.bench.workload.Phases;
import dev.holdfast.bench.workload.RowKeys;
import dev.holdfast.bench.workload.WorkloadOptions;
import dev.holdfast.bench.workload.WorkloadStore;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Makes every leaf of a store dirty, then times the checkpoint that flushes them. */
public final class FlushTurn implements PairedTurns.Turn, AutoCloseable {
    /** Less than fit into a leaf, so that each leaf has one of them. */
    private static final int ROW_STEP = 16;

    private static final int ROWS_PER_TRANSACTION = 500;
    private static final int VALUE_BYTES = 100;
    private static final TransactionOptions LAZY =
            TransactionOptions.defaults().durability(Durability.LAZY);

    private final WorkloadOptions options;
    private final WorkloadStore store;
    private final SplittableRandom random;

    private FlushTurn(WorkloadOptions options, WorkloadStore store) {
        this.options = options;
        this.store = store;
        random = new SplittableRandom(options.seed());
    }

    /** Makes the store, whose pool must hold all rows, and loads it. */
    public static FlushTurn open(Path directory, WorkloadOptions options)
            throws InterruptedException, ExecutionException {
        WorkloadStore store = WorkloadStore.open(directory, options);
        new PhaseRunner(store, options).run(Phases.parse(Phases.LOAD_SEQUENTIAL));
        store.engine().checkpoint();
        return new FlushTurn(options, store);
    }

    /** Pages flushed in a second of the checkpoint. */
    @Override
    public double unitsPerSecond() {
        dirty();
        long before = pagesWritten();
        long from = System.nanoTime();
        store.engine().checkpoint();
        long nanos = System.nanoTime() - from;
        return (pagesWritten() - before) * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }

    private void dirty() {
        byte[] key = new byte[RowKeys.KEY_BYTES];
        byte[] value = new byte[VALUE_BYTES];
        long row = 0;
        while (row < options.rows()) {
            try (Transaction transaction = store.engine().begin(LAZY)) {
                for (int i = 0; i < ROWS_PER_TRANSACTION && row < options.rows(); i++) {
                    RowKeys.fill(key, row);
                    random.nextBytes(value);
                    transaction.put(store.table(), key, value);
                    row += ROW_STEP;
                }
                transaction.commit();
            }
        }
    }

    private long pagesWritten() {
        return EngineCounts.counter(store.engine().status(), "buffer.PAGES_WRITTEN");
    }

    @Override
    public void close() {
        store.close();
    }
}
