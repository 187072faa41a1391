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
    CLEANER_BUDGET_WAITS("rounds", "rounds for which the budget of IO had nothing left", "buffer"),
    CLEANER_PAGES_SKIPPED("pages", "pages the cleaner could not latch at once", "buffer"),
    CHECKPOINTS("checkpoints", "checkpoint records written", "buffer"),
    DOUBLEWRITE_BATCHES("batches", "batches written to the doublewrite files", "dblwr"),
    DOUBLEWRITE_PAGES("pages", "pages copied to, or entered in, the doublewrite files", "dblwr"),
    DOUBLEWRITE_WAITS("waits", "batches that waited for a doublewrite slot", "dblwr"),
    MTR_COMMITS("groups", "mini-transactions that changed pages", "mtr"),
    MTR_REDO_BYTES("bytes", "redo bytes of mini-transactions", "mtr"),
    LOG_WRITES("writes", "transfers to the redo segments", "redo"),
    LOG_BLOCKS_WRITTEN("blocks", "redo blocks written, a rewritten tail each time", "redo"),
    LOG_GROUPS_WRITTEN("groups", "groups written to the redo segments", "redo"),
    LOG_SYNCS("syncs", "syncs of the redo log, each for all that waited", "redo"),
    LOG_DURABILITY_WAITS("waits", "durability wanted that was not there yet", "redo"),
    LOG_RING_WAITS("waits", "appends that found the log buffer full", "redo"),
    ROW_LOCK_WAITS("waits", "waits for a row that another transaction had written", "txn"),
    ROW_LOCK_TIMEOUTS("waits", "row lock waits that ended by time-out", "txn"),
    TREE_RESTARTS("restarts", "descents begun again because a page changed meanwhile", "btree"),
    TREE_LATCHED_DESCENTS("descents", "descents by shared latches after many restarts", "btree"),
    LEAF_SPLITS("splits", "leaves split, roots included", "btree"),
    INNER_SPLITS("splits", "inner pages split, roots included", "btree"),
    ROOT_SPLITS("splits", "times a tree became higher", "btree"),
    ROOT_COLLAPSES("collapses", "times a tree became lower", "btree"),
    PAGE_MERGES("merges", "pages freed because a neighbour took their records", "btree"),
    EMPTY_LEAVES_FREED("pages", "empty leaves freed", "btree"),
    VERSIONS_DROPPED("records", "settled versions dropped from full leaves", "btree"),
    CURSOR_LEAVES("pages", "leaves copied for cursors", "btree"),
    OVERFLOW_PAGES_WRITTEN("pages", "pages of long values written", "btree"),
    OVERFLOW_PAGES_READ("pages", "pages of long values read", "btree"),
    OVERFLOW_PAGES_FREED("pages", "pages of long values freed", "btree"),
    SPACE_PAGES_GROWN("pages", "pages that data files grew by", "space"),
    SPACE_GROWTH_WAITS("waits", "waits for a data file to grow", "space"),
    SPACE_GROWTH_REFUSED("attempts", "growths that found no room on the disk", "space"),
    SPACE_PAGES_ALLOCATED("pages", "pages given to a tree or an undo log", "space"),
    SPACE_PAGES_FREED("pages", "pages that became free again", "space"),
    SPACE_PAGES_CONDEMNED("pages", "pages unlinked that waited for their epochs", "space"),
    SPACE_MAPS_LOADED("pages", "allocation maps looked at for the first time", "space"),
    SPACE_SHRINKS("cuts", "times a data file was cut shorter", "space"),
    CATALOG_WAITS("waits", "waits for another change of the catalog", "catalog"),
    TABLES_CREATED("tables", "tables created", "catalog"),
    TABLES_DROPPED("tables", "tables dropped, resumed drops included", "catalog"),
    DROPS_LEFT("attempts", "drops of tables left for a damaged page, to be tried again", "catalog"),
    UNDO_LOGS_PURGED("logs", "undo logs that no snapshot needs and purge is done with", "undo"),
    UNDO_PAGES_PURGED("pages", "undo pages given back by purge", "undo"),
    COMMITS("transactions", "transactions with changes that committed", "txn"),
    ROLLBACKS("transactions", "transactions with changes that were rolled back", "txn"),
    UNDO_RECORDS_ROLLED_BACK("records", "undo records applied by rollbacks", "txn"),
    WRITE_CONFLICTS("statements", "statements refused since another committed first", "txn"),
    ROW_READ_RESTARTS("reads", "rows read again since their page changed meanwhile", "txn"),
    VERSIONS_FOLLOWED("versions", "undo records read to find an older version", "txn"),
    TRANSACTION_IDS_SKIPPED("ids", "ids whose cell an older transaction still held", "txn"),
    ROWS_PURGED("rows", "deleted rows that purge removed", "txn"),
    OVERFLOW_CHAINS_PURGED("chains", "overflow chains of old versions given back", "txn"),
    PURGE_DAMAGE_SKIPPED("records", "undo records or logs passed by for a damaged page", "txn"),
    LOSERS_LEFT("transactions", "transactions of before a crash left for a damaged page", "txn"),
    LOSERS_ROLLED_BACK("transactions", "transactions of before a crash taken back", "txn"),
    CURSOR_OLDER_VERSIONS("rows", "rows of which a cursor sought an older version", "txn"),
    UNDO_TRUNCATIONS("spaces", "undo spaces emptied and cut", "undo"),
    PAGE_FIXES("pages", "pages latched or read by version, each level a page", "buffer"),
    WRITE_RETRIES_CONFLICT("attempts", "works run again after a write conflict", "db"),
    WRITE_RETRIES_LOCK("attempts", "works run again after a lock time-out", "db"),
    WRITE_RETRIES_LOG_SPACE("attempts", "works run again after a wait for log space", "db"),
    WRITE_RETRY_NANOS("ns", "time paused before works were run again", "db"),
    WRITES_GIVEN_UP("works", "works that lost in all their attempts", "db"),
    LONG_WAITS("waits", "waits that lasted beyond the limit of the watch", "db"),
    FRAMES_TOUCHED("frames", "frames whose memory was touched before its first use", "buffer"),
    WRITE_RETRIES_ADMISSION("attempts", "works run again after a wait for their turn", "db"),
    CONDEMNED_LEFT("pages", "condemned pages or chains left for a damaged page", "space"),
    SPACE_MAPS_PASSED_BY("maps", "damaged maps that a search for room passed by", "space"),
    ROLLBACKS_LEFT("transactions", "rollbacks left for later, for damage or want of room", "txn"),
    CHECKPOINTS_REFUSED("attempts", "checkpoint records that found no room", "redo"),
    SPACE_PAGES_CONVERTED("pages", "pages given another kind of checksum", "space"),
    READ_AHEAD_ASKED("pages", "pages that scans asked to have read ahead", "buffer"),
    READ_AHEAD_READ("pages", "pages read ahead", "buffer"),
    READ_AHEAD_PRESENT("pages", "pages asked for that were in the pool by then", "buffer"),
    READ_AHEAD_USED("pages", "pages asked for that were there when their scan came", "buffer"),
    READ_AHEAD_DROPPED_QUEUE("pages", "not asked for: the request before was not begun", "buffer"),
    READ_AHEAD_DROPPED_BUDGET("pages", "not read ahead: no budget of IO", "buffer"),
    READ_AHEAD_DROPPED_FRAMES("pages", "not read ahead: no frame to spare", "buffer"),
    READ_AHEAD_FAILED("pages", "reads ahead that failed, or found no such page", "buffer"),
    PURGE_BUDGET_PAUSES("pauses", "rounds of purge that the budget of IO had nothing for", "txn"),
    PURGE_PAGES_OVERDRAWN("pages", "read by purge beyond the budget, to keep up", "txn");

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
