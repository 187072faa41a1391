// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.SiteCounters;

/**
 * The latches, locks and named waits of the core, with their ranks.
 *
 * <p>A thread waits for a latch, a lock or a grant only if its rank is above all ranks that the
 * thread holds; a site that allows its own rank states the order inside it in {@code
 * docs/architecture/latching.md}. A wait for what nobody holds has a rank too if it may be entered
 * with something held. The other named waits have none: nobody enters them with a latch held,
 * except where the page says so.
 */
public enum CoreSites implements ContentionSite {
    CATALOG(200, false, "table names and tree ids"),
    FILE_GROWTH(230, false, "wait for a data file to grow"),
    EPOCH_READERS(240, false, "drop waits for readers inside an operation epoch"),
    FILE_LENGTH(250, false, "length of a data file, and whether it is dropped"),
    LOG_SPACE(300, false, "room of the log, granted to a mini-transaction until it ends"),
    LOG_PAUSE(300, false, "verification waits for mini-transactions under way"),
    CHECKPOINT(320, false, "one checkpoint at a time"),
    CHECKPOINT_FILE(330, false, "one update of the checkpoint file at a time"),
    LOG_DURABILITY(340, false, "wait for the log to reach the disk"),
    FREE_FRAME(350, false, "wait for the cleaner to free a frame"),
    PAGE(400, true, "bytes of a page in its frame; parent before child"),
    UNDO_PAGE(450, true, "bytes of an undo page; old before new when the log grows"),
    SPACE_PAGE(510, true, "space header and allocation maps; ascending page id"),
    SPACE(520, false, "free pages of one space as memory knows them"),
    NEW_PAGE(520, true, "frame of a page being allocated, looked at by someone with a stale id"),
    LOCK_SHARD(600, true, "row-lock queues of one shard; ascending shard"),
    REDO_LEADER(700, false, "the lead of the log: one thread writes for all"),
    FLUSH_LIST(750, true, "dirty frames of one shard by recovery LSN; ascending shard"),
    POOL_SHARD(800, true, "free frames and clock of one shard; ascending shard"),

    ROW_LOCK(CoreSites.NO_RANK, true, "wait for another transaction's row"),
    PAGE_READ(CoreSites.NO_RANK, true, "wait for another thread's read of a page"),
    PAGE_WRITE(CoreSites.NO_RANK, true, "wait until a page is no longer being written"),
    DOUBLEWRITE_SLOT(CoreSites.NO_RANK, true, "wait for a free slot of the doublewrite"),
    ADMISSION(CoreSites.NO_RANK, true, "wait for a transaction slot"),
    COMMITTING_READER(CoreSites.NO_RANK, true, "reader waits for a commit to get its number"),
    WRITE_RETRY(CoreSites.NO_RANK, true, "pause before work that lost is run again"),
    CLOSE_CALLS(CoreSites.NO_RANK, true, "close waits for calls that run"),
    LOG_PUBLISH(
            CoreSites.NO_RANK,
            true,
            "the log's leader waits for groups that are reserved and not published"),
    REDO_APPLIERS(CoreSites.NO_RANK, true, "open waits for appliers of redo to end");

    /** The rank of a named wait, which takes no part in the latch order. */
    public static final int NO_RANK = 0;

    private final int rank;
    private final boolean sameRankAllowed;
    private final String meaning;

    @SuppressWarnings("ImmutableEnumChecker") // counting is what it is for
    private final SiteCounters counters = new SiteCounters();

    CoreSites(int rank, boolean sameRankAllowed, String meaning) {
        this.rank = rank;
        this.sameRankAllowed = sameRankAllowed;
        this.meaning = meaning;
    }

    @Override
    public String siteName() {
        return name();
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public boolean allowsSameRank() {
        return sameRankAllowed;
    }

    @Override
    public String meaning() {
        return meaning;
    }

    @Override
    public SiteCounters counters() {
        return counters;
    }
}
