// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.Latch;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** The dirty frames of one shard, oldest first, but those that are just being written. */
final class FlushList {
    /*
     * A frame is linked under one LSN, its key: where the oldest change begins that is neither on
     * the disk nor in a copy on its way there.
     *
     *   state of the frame             recoveryLsn   sinceCopy   linked under
     *   clean                          0             0           -
     *   dirty                          a             0           a
     *   being written                  a             0           -
     *   being written, changed since   a             b           b
     *
     * Who begins a write takes the frame out, after a has gone into the account of his batch in
     * PageWrites. So a frame comes in only by a change that is being made, with an LSN that is new,
     * and never at the end of a write, with one that is old. When the write is durable b becomes a,
     * and the key stays what it was.
     *
     * The order is exact, so the oldest LSN is found at the heads, not by looking at all frames.
     * Groups mark their frames after they have reserved their place (P11), so LSNs come almost in
     * order; a thread that sleeps between the two comes late, behind frames of later groups. To
     * seek its place could mean to pass thousands of them under the latch. So there are several
     * runs, each in order: a frame goes into the first in which its place is near the new end.
     * Whoever comes late, again and again, finds the others who did in the second run, and so on;
     * redo that is applied by several threads is a few streams that lag behind each other. Only the
     * last run is searched without a limit.
     *
     * What is not in the list yet does not matter to the checkpoint: see BufferPool.
     */
    private static final int RUNS = 8;
    private static final int SEARCH_MAX = 16;

    private final FrameTable frames;
    private final Latch latch = new Latch(CoreSites.FLUSH_LIST);

    /** The ends of each run; guarded by the latch, as are the links in the frames' lines. */
    private final int[] oldest = new int[RUNS];

    private final int[] newest = new int[RUNS];

    /** Where a collection stands in each run; guarded by the latch. */
    private final int[] at = new int[RUNS];

    /** Written under the latch; read by anyone. */
    private final AtomicInteger count = new AtomicInteger();

    FlushList(FrameTable frames) {
        this.frames = frames;
        Arrays.fill(oldest, FrameTable.NONE);
        Arrays.fill(newest, FrameTable.NONE);
    }

    /** Frames in the list. */
    int count() {
        return count.get();
    }

    /**
     * Notes a change of the frame's page by a group that begins at the given LSN.
     *
     * <p><b>Latches:</b> the frame's X is held by the caller, before and after.
     */
    void changed(int frame, long startLsn) {
        // In this order: ending a write first stores the LSNs and then clears the writing mark. A
        // write cannot begin here, for that takes the frame's latch.
        boolean covered =
                frames.isWriting(frame)
                        ? frames.recoveryLsnSinceCopyAcquire(frame) != 0
                        : frames.recoveryLsnAcquire(frame) != 0;
        if (covered) {
            return;
        }
        latch.acquireExclusive();
        boolean writing = frames.isWriting(frame);
        boolean links =
                writing
                        ? frames.recoveryLsnSinceCopyAcquire(frame) == 0
                        : frames.recoveryLsnAcquire(frame) == 0;
        if (links) {
            if (writing) {
                frames.recoveryLsnSinceCopyRelease(frame, startLsn);
            }
            if (frames.recoveryLsnAcquire(frame) == 0) {
                frames.recoveryLsnRelease(frame, startLsn);
            }
            link(frame, startLsn);
        }
        latch.releaseExclusive();
    }

    /**
     * Makes the caller the one who writes the frame's page, unless it is clean or somebody is.
     *
     * <p><b>Latches:</b> the frame is held shared by the caller, before and after.
     *
     * @param batch the account in which the recovery LSN is kept from now on
     */
    boolean beginWriting(int frame, PageWrites writes, int batch) {
        latch.acquireExclusive();
        long lsn = frames.recoveryLsnAcquire(frame);
        boolean begins = lsn != 0 && frames.tryBeginWriting(frame);
        if (begins) {
            // Before the frame leaves the list: who looks there first and then at the accounts
            // finds it in one of the two.
            writes.covers(batch, lsn);
            unlink(frame);
        }
        latch.releaseExclusive();
        return begins;
    }

    /** Notes that the copy taken of the page is durable in its place; ends WRITING. */
    void written(int frame) {
        latch.acquireExclusive();
        frames.recoveryLsnRelease(frame, frames.recoveryLsnSinceCopyAcquire(frame));
        frames.recoveryLsnSinceCopyRelease(frame, 0);
        frames.endWriting(frame);
        latch.releaseExclusive();
    }

    /**
     * Makes the page clean without a write: it belongs to what was dropped.
     *
     * <p><b>Latches:</b> the frame's X is held by the caller, before and after.
     *
     * @return whether it was dirty
     */
    boolean discarded(int frame) {
        latch.acquireExclusive();
        boolean wasDirty = frames.recoveryLsnAcquire(frame) != 0;
        if (frames.isWriting(frame) ? frames.recoveryLsnSinceCopyAcquire(frame) != 0 : wasDirty) {
            unlink(frame);
        }
        frames.recoveryLsnRelease(frame, 0);
        frames.recoveryLsnSinceCopyRelease(frame, 0);
        latch.releaseExclusive();
        return wasDirty;
    }

    /** The lowest LSN that a frame of the list is linked under, or the greatest number. */
    long oldestLsn() {
        if (count.get() == 0) {
            // Who has linked a frame before the caller read the closed LSN has counted it too.
            return Long.MAX_VALUE;
        }
        long lsn = Long.MAX_VALUE;
        latch.acquireExclusive();
        for (int frame : oldest) {
            if (frame != FrameTable.NONE) {
                lsn = Math.min(lsn, key(frame));
            }
        }
        latch.releaseExclusive();
        return lsn;
    }

    /**
     * Adds the oldest frames below an LSN that nobody is writing, oldest first.
     *
     * @return the new number of frames in the target
     */
    int collect(int[] target, int from, int limit, long belowLsn) {
        int to = from;
        latch.acquireExclusive();
        System.arraycopy(oldest, 0, at, 0, RUNS);
        while (to < limit) {
            int run = oldestRun(belowLsn);
            if (run < 0) {
                break;
            }
            int frame = at[run];
            if (!frames.isWriting(frame)) {
                target[to] = frame;
                to++;
            }
            at[run] = frames.newer(frame);
        }
        latch.releaseExclusive();
        return to;
    }

    /** The run whose next frame is the oldest of all and below the LSN, or -1. */
    private int oldestRun(long belowLsn) {
        int best = -1;
        long lowest = belowLsn;
        for (int run = 0; run < RUNS; run++) {
            if (at[run] != FrameTable.NONE && key(at[run]) < lowest) {
                lowest = key(at[run]);
                best = run;
            }
        }
        return best;
    }

    private long key(int frame) {
        long sinceCopy = frames.recoveryLsnSinceCopyAcquire(frame);
        return sinceCopy != 0 ? sinceCopy : frames.recoveryLsnAcquire(frame);
    }

    private void link(int frame, long lsn) {
        for (int run = 0; run < RUNS; run++) {
            int limit = run < RUNS - 1 ? SEARCH_MAX : Integer.MAX_VALUE;
            int before = newest[run];
            for (int i = 0; i < limit && before != FrameTable.NONE && key(before) > lsn; i++) {
                before = frames.older(before);
            }
            if (before == FrameTable.NONE || key(before) <= lsn) {
                linkBehind(frame, before, run);
                count.incrementAndGet();
                return;
            }
        }
    }

    private void linkBehind(int frame, int before, int run) {
        int after = before == FrameTable.NONE ? oldest[run] : frames.newer(before);
        frames.older(frame, before);
        frames.newer(frame, after);
        if (before == FrameTable.NONE) {
            oldest[run] = frame;
        } else {
            frames.newer(before, frame);
        }
        if (after == FrameTable.NONE) {
            newest[run] = frame;
        } else {
            frames.older(after, frame);
        }
    }

    /** The frame is in some run; in which one is only asked where it is at an end. */
    private void unlink(int frame) {
        int before = frames.older(frame);
        int after = frames.newer(frame);
        if (before == FrameTable.NONE) {
            replace(oldest, frame, after);
        } else {
            frames.newer(before, after);
        }
        if (after == FrameTable.NONE) {
            replace(newest, frame, before);
        } else {
            frames.older(after, before);
        }
        frames.older(frame, FrameTable.NONE);
        frames.newer(frame, FrameTable.NONE);
        count.decrementAndGet();
    }

    private static void replace(int[] ends, int frame, int other) {
        int run = 0;
        while (ends[run] != frame) {
            run++;
        }
        ends[run] = other;
    }
}
