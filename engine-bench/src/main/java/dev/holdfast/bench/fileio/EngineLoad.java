// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

/** What an engine does with its device, and which of the device's figures is its ceiling. */
public enum EngineLoad {
    /** Updates of a row, each durable: over such appends to a log alone, synced in groups too. */
    DURABLE("update-sync", "durable commits", "txn.COMMITS", false),
    /** Rows of a table ten times the pool: page misses, over bare loops of as many threads. */
    READS("read-random", "page misses", "buffer.PAGE_FIXES_MISSED", true),
    /** Updates of such a table: pages flushed, over the pattern's flusher and writers alone. */
    FLUSH("update-nosync", "pages flushed", "buffer.PAGES_WRITTEN", true);

    private final String phase;
    private final String unit;
    private final String counter;
    private final boolean isBeyondPool;

    EngineLoad(String phase, String unit, String counter, boolean isBeyondPool) {
        this.phase = phase;
        this.unit = unit;
        this.counter = counter;
        this.isBeyondPool = isBeyondPool;
    }

    /** The workload's phase, without its threads. */
    public String phase() {
        return phase;
    }

    /** What is counted of the engine. */
    public String unit() {
        return unit;
    }

    String counter() {
        return counter;
    }

    /** Whether the pool must hold only a part of the table. */
    public boolean isBeyondPool() {
        return isBeyondPool;
    }
}
