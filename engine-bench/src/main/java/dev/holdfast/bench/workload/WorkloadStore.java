// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.Engine;
import dev.holdfast.Table;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** An open store with the one table that phases work on. Closing it closes the engine. */
public final class WorkloadStore implements AutoCloseable {
    private static final String TABLE = "rows";

    private final Engine engine;
    private final Table table;
    private final WorkloadOptions options;
    private final ZipfRows zipf;

    /** The next row that a load writes. */
    private final AtomicLong loadPosition = new AtomicLong();

    /** The order of a random load; made when one begins. */
    private int[] loadOrder = {};

    private WorkloadStore(Engine engine, WorkloadOptions options) {
        this.engine = engine;
        this.options = options;
        table = engine.table(TABLE);
        zipf = new ZipfRows(options.rows());
    }

    public static WorkloadStore open(Path directory, WorkloadOptions options) {
        return new WorkloadStore(Engine.open(directory, options.engine()), options);
    }

    public Engine engine() {
        return engine;
    }

    public Table table() {
        return table;
    }

    long rows() {
        return options.rows();
    }

    ZipfRows zipf() {
        return zipf;
    }

    /** Begins a load anew, of all rows in random order. */
    void shuffleLoad() {
        SplittableRandom random = new SplittableRandom(options.seed());
        int[] order = new int[Math.toIntExact(options.rows())];
        for (int i = 0; i < order.length; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        loadOrder = order;
        loadPosition.set(0);
    }

    /** Claims the next places of the load; the end is past the last row once all are claimed. */
    long claimLoad(int count) {
        return loadPosition.getAndAdd(count);
    }

    /** Returns the row at a place of the load. */
    long loadRow(long place) {
        return loadOrder.length == 0 ? place : loadOrder[(int) place];
    }

    @Override
    public void close() {
        engine.close();
    }
}
