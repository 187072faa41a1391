// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.page.PageId;
import dev.holdfast.sync.BufferLatch;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares the frames of a pool that nobody uses at the moment with the mapping, the flush lists
 * and the latches.
 */
final class PoolCheck {
    private final BufferPool pool;
    private final FrameTable frames;

    PoolCheck(BufferPool pool) {
        this.pool = pool;
        this.frames = pool.frames();
    }

    /** Returns the breaches; empty if there are none. */
    List<String> run() {
        List<String> findings = new ArrayList<>();
        int dirty = 0;
        long oldest = Long.MAX_VALUE;
        for (int frame = 0; frame < frames.count(); frame++) {
            boolean isResident = frames.stateAcquire(frame) == FrameTable.RESIDENT;
            long pageId = frames.pageId(frame);
            if (isResident ? pool.find(pageId) != frame : pageId != PageId.NONE) {
                findings.add("frame and mapping differ: " + frames.describe(frame));
            }
            if (!isResident && pool.isDirty(frame)) {
                findings.add("dirty without a page: " + frames.describe(frame));
            }
            if (pool.isDirty(frame)) {
                dirty++;
                oldest = Math.min(oldest, frames.recoveryLsnAcquire(frame));
            }
            String latch = BufferLatch.describe(frames.table(), FrameTable.line(frame));
            if (BufferLatch.isExclusive(frames.table(), FrameTable.line(frame))
                    || BufferLatch.isShared(frames.table(), FrameTable.line(frame))) {
                findings.add("latch is held: " + frames.describe(frame) + ", " + latch);
            }
        }
        if (oldest != pool.oldestRecoveryLsn(Long.MAX_VALUE)) {
            findings.add(
                    "oldest recovery LSN: lists="
                            + pool.oldestRecoveryLsn(Long.MAX_VALUE)
                            + ", frames="
                            + oldest);
        }
        if (dirty != pool.dirtyCount()) {
            findings.add("flush lists: listed=" + pool.dirtyCount() + ", dirty=" + dirty);
        }
        return findings;
    }
}
