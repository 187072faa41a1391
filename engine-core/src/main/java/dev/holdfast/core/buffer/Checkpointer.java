// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.DiskFullException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.Latch;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;

/** Finds how far the log is no longer needed, and records it. */
public final class Checkpointer {
    /*
     * The candidate (P11): the closed LSN is read first, then the oldest recovery LSN; the minimum
     * of both. A group below the closed LSN has marked its frames, so none is missed. A recovery LSN
     * goes only after its page was written and its file synced, so nothing below the candidate is
     * unsynced, except what an earlier process left in the operating system's cache: for that the
     * first checkpoint syncs every file (P11a).
     *
     * Nothing here waits for the candidate to move: the cleaner asks for a checkpoint when a batch
     * has ended that moved it far enough, or by which somebody who waits for log space is helped.
     *
     * A sharp checkpoint takes many pages at a time, since they are written in the order of their
     * ids: the more there are, the more of them are neighbours.
     *
     * The log is made durable through the candidate before that is recorded, so that recovery finds
     * the log there that it is told to begin with.
     */
    private static final int SHARP_PAGES = 8192;

    /** For a step of an approach: some batches. */
    private static final int STEP_PAGES = 256;

    public static final String CANDIDATE_FOUND = "buffer.checkpoint.candidate";

    private final BufferPool pool;
    private final PageStore store;
    private final WriteAhead log;
    private final PageFlusher flusher;
    private final CheckpointSink sink;
    private final EngineHealth health;
    private final Counters counters;
    private final Latch latch = new Latch(CoreSites.CHECKPOINT);
    private final int[] candidates;

    /** Guarded by the latch. */
    private boolean allFilesSynced;

    private long recordedLsn;

    public Checkpointer(
            BufferPool pool,
            PageStore store,
            WriteAhead log,
            PageFlusher flusher,
            CheckpointSink sink,
            EngineHealth health,
            Counters counters) {
        this.pool = pool;
        this.store = store;
        this.log = log;
        this.flusher = flusher;
        this.sink = sink;
        this.health = health;
        this.counters = counters;
        this.candidates = new int[Math.min(SHARP_PAGES, pool.frameCount())];
    }

    /**
     * Makes a checkpoint; writers go on meanwhile.
     *
     * <p><b>Latches:</b> none held.
     *
     * @param sharp whether pages that are dirty now are written first
     * @return the LSN that recovery would start from
     * @throws dev.holdfast.EngineFailedException if the engine failed, by this or before
     * @throws DiskFullException if there was no room for the record; nothing else is different
     */
    public long checkpoint(boolean sharp) {
        health.check();
        latch.acquireExclusive();
        try {
            if (sharp) {
                writeAllBelow(log.appendLsn());
            }
            return record(sharp);
        } catch (IOException e) {
            health.fail(e);
            health.check();
            return recordedLsn;
        } finally {
            latch.releaseExclusive();
        }
    }

    private long record(boolean always) throws IOException {
        long closedLsn = log.closedLsn();
        long candidate = pool.oldestRecoveryLsn(closedLsn);
        TestHooks.reached(CANDIDATE_FOUND);
        if (candidate <= recordedLsn && !always) {
            return recordedLsn;
        }
        if (!allFilesSynced) {
            store.syncAll();
            allFilesSynced = true;
        }
        log.makeDurable(candidate);
        health.check();
        recordAt(candidate);
        recordedLsn = candidate;
        counters.increment(Counter.CHECKPOINTS);
        return candidate;
    }

    private void recordAt(long candidate) throws IOException {
        try {
            sink.record(candidate);
        } catch (DiskFullException noRoom) {
            counters.increment(Counter.CHECKPOINTS_REFUSED);
            throw noRoom;
        }
    }

    /**
     * Goes a bounded step towards a checkpoint at or above an LSN that the log has reached: writes
     * some of the pages that were changed before it, or if none is left records the checkpoint. For
     * background work that must be able to stop.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return how many pages were written; 0 if what is left is being written or changed by others;
     *     -1 if the checkpoint is recorded
     */
    public int approach(long lsn) {
        health.check();
        latch.acquireExclusive();
        try {
            int limit = Math.min(candidates.length, STEP_PAGES);
            int count = pool.collectOldest(candidates, limit, lsn);
            if (count > 0) {
                return flusher.write(candidates, count, true);
            }
            boolean isOpen = log.closedLsn() < lsn || pool.oldestRecoveryLsn(lsn) < lsn;
            return isOpen || record(true) < lsn ? 0 : -1;
        } catch (IOException e) {
            health.fail(e);
            health.check();
            return 0;
        } finally {
            latch.releaseExclusive();
        }
    }

    private void writeAllBelow(long lsn) {
        while (true) {
            long writesBefore = pool.writes().ended();
            int count = pool.collectOldest(candidates, candidates.length, lsn);
            if (count > 0) {
                flusher.write(candidates, count, true);
            } else if (pool.oldestRecoveryLsn(lsn) < lsn) {
                // The cleaner is writing the last ones.
                pool.writes().awaitAfter(writesBefore);
            } else {
                return;
            }
        }
    }
}
