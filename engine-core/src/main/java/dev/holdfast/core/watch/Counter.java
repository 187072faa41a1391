// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

/**
 * What the engine counts. New counters go to the end, each with a unit, a meaning and the package
 * that owns it; the text report and the typed metrics are made from this list.
 */
public enum Counter {
    PAGE_FIXES_MISSED("pages", "page wanted and not in the pool", "buffer"),
    PAGE_READS("pages", "pages read from data files", "buffer"),
    PAGE_READ_RETRIES("reads", "page reads repeated after an IO error", "buffer"),
    PAGE_READ_WAITS("waits", "page wanted while another thread was reading it", "buffer"),
    PAGES_CORRUPT("pages", "pages refused after a read", "buffer"),
    PAGES_WRITTEN("pages", "pages written to data files", "buffer"),
    PAGE_WRITE_FAILURES("writes", "page writes that failed and left the page dirty", "buffer"),
    DATA_FILE_SYNCS("syncs", "syncs of data files", "buffer"),
    PAGES_EVICTED("pages", "clean pages whose frame was given away", "buffer"),
    EVICTION_STEPS("frames", "frames looked at by the clock hands", "buffer"),
    EVICTION_LIMIT_MET("times", "user thread ended its search for a victim at its limit", "buffer"),
    FREE_FRAME_WAITS("waits", "waits for the cleaner to free a frame", "buffer"),
    PAGES_DISCARDED("pages", "dirty pages dropped with their space or tree", "buffer"),
    CLEANER_ROUNDS("rounds", "rounds of the page cleaner", "buffer"),
    CLEANER_PAGES_SKIPPED("pages", "pages the cleaner could not latch at once", "buffer"),
    CHECKPOINTS("checkpoints", "checkpoint records written", "buffer"),
    DOUBLEWRITE_BATCHES("batches", "batches written to the doublewrite files", "dblwr"),
    DOUBLEWRITE_PAGES("pages", "pages copied to the doublewrite files", "dblwr"),
    DOUBLEWRITE_WAITS("waits", "batches that waited for a doublewrite slot", "dblwr"),
    MTR_COMMITS("groups", "mini-transactions that changed pages", "mtr"),
    MTR_REDO_BYTES("bytes", "redo bytes of mini-transactions", "mtr"),
    ROW_LOCK_WAITS("waits", "waits for a row that another transaction had written", "txn"),
    ROW_LOCK_TIMEOUTS("waits", "row lock waits that ended by time-out", "txn");

    private final String unit;
    private final String meaning;
    private final String owner;

    Counter(String unit, String meaning, String owner) {
        this.unit = unit;
        this.meaning = meaning;
        this.owner = owner;
    }

    public String unit() {
        return unit;
    }

    public String meaning() {
        return meaning;
    }

    /** The package of {@code dev.holdfast.core} that counts it. */
    public String owner() {
        return owner;
    }
}
