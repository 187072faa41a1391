// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.Latch;
import java.util.concurrent.atomic.AtomicInteger;

/** The dirty frames of one shard, oldest recovery LSN first, or nearly so. */
final class FlushList {
    /*
     * A frame is in the list exactly while its recovery LSN is not zero. Groups mark their frames
     * after they have reserved, so starts come almost in order; a frame that was changed while it
     * was being written comes back with an older one. The search for its place is bounded, so the
     * order is approximate; that only makes the cleaner's choice a little worse. The checkpoint
     * does not go by the list: it takes the minimum over all frames.
     *
     * Two LSNs for a frame that is being written (P11): what the copy holds is covered by the
     * first until the write is durable, what came after the copy by the second, which then takes
     * the first's place.
     */
    private static final int SEARCH_MAX = 64;

    private final FrameTable frames;
    private final Latch latch = new Latch(CoreSites.FLUSH_LIST);

    /** Guarded by the latch, as are the links in the frames' lines. */
    private int oldest = FrameTable.NONE;

    private int newest = FrameTable.NONE;

    /** Written under the latch; read by anyone. */
    private final AtomicInteger count = new AtomicInteger();

    FlushList(FrameTable frames) {
        this.frames = frames;
    }

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
        if (frames.recoveryLsnAcquire(frame) == 0) {
            frames.recoveryLsnRelease(frame, startLsn);
            link(frame, startLsn);
        }
        if (frames.isWriting(frame) && frames.recoveryLsnSinceCopyAcquire(frame) == 0) {
            frames.recoveryLsnSinceCopyRelease(frame, startLsn);
        }
        latch.releaseExclusive();
    }

    /** Notes that the copy taken of the page is durable in its place; ends WRITING. */
    void written(int frame) {
        latch.acquireExclusive();
        long sinceCopy = frames.recoveryLsnSinceCopyAcquire(frame);
        if (frames.recoveryLsnAcquire(frame) != 0) {
            unlink(frame);
            frames.recoveryLsnRelease(frame, sinceCopy);
            if (sinceCopy != 0) {
                link(frame, sinceCopy);
            }
        }
        frames.recoveryLsnSinceCopyRelease(frame, 0);
        frames.endWriting(frame);
        latch.releaseExclusive();
    }

    /** Notes that the copy was not written: the page stays as dirty as it was; ends WRITING. */
    void notWritten(int frame) {
        latch.acquireExclusive();
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
        if (wasDirty) {
            unlink(frame);
            frames.recoveryLsnRelease(frame, 0);
        }
        frames.recoveryLsnSinceCopyRelease(frame, 0);
        latch.releaseExclusive();
        return wasDirty;
    }

    /**
     * Adds the oldest frames below an LSN that nobody is writing.
     *
     * @return the new number of frames in the target
     */
    int collect(int[] target, int from, int limit, long belowLsn) {
        int at = from;
        latch.acquireExclusive();
        int frame = oldest;
        while (frame != FrameTable.NONE && at < limit) {
            if (frames.recoveryLsnAcquire(frame) < belowLsn && !frames.isWriting(frame)) {
                target[at++] = frame;
            }
            frame = frames.newer(frame);
        }
        latch.releaseExclusive();
        return at;
    }

    private void link(int frame, long lsn) {
        int before = newest;
        for (int i = 0; i < SEARCH_MAX && before != FrameTable.NONE; i++) {
            if (frames.recoveryLsnAcquire(before) <= lsn) {
                break;
            }
            before = frames.older(before);
        }
        int after = before == FrameTable.NONE ? oldest : frames.newer(before);
        frames.older(frame, before);
        frames.newer(frame, after);
        if (before == FrameTable.NONE) {
            oldest = frame;
        } else {
            frames.newer(before, frame);
        }
        if (after == FrameTable.NONE) {
            newest = frame;
        } else {
            frames.older(after, frame);
        }
        count.incrementAndGet();
    }

    private void unlink(int frame) {
        int before = frames.older(frame);
        int after = frames.newer(frame);
        if (before == FrameTable.NONE) {
            oldest = after;
        } else {
            frames.newer(before, after);
        }
        if (after == FrameTable.NONE) {
            newest = before;
        } else {
            frames.older(after, before);
        }
        frames.older(frame, FrameTable.NONE);
        frames.newer(frame, FrameTable.NONE);
        count.decrementAndGet();
    }
}
