// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;

/** Makes a space's file shorter when its tail is free (P19). */
public final class SpaceShrink {
    /*
     * The order: nobody can reserve the tail any more; a group with the SPACE_SHRINK record and the
     * new page count; that group durable; the tail's frames leave the pool; the file is cut. A
     * crash before the cut leaves a longer file, which an open tolerates. After it, redo of the
     * tail's old pages finds no place, and is skipped because of the record.
     */
    static final String DURABLE = "space.shrink.durable";

    private static final int REDO_BYTES =
            2 * (RedoWriter.RECORD_OVERHEAD_MAX + SpaceRecords.SHRINK_BYTES + 5);

    private final Spaces spaces;
    private final RedoLog log;
    private final MiniTransaction mtr;

    /** Uses the mini-transaction alone. */
    public SpaceShrink(Spaces spaces, RedoLog log, MiniTransaction mtr) {
        this.spaces = spaces;
        this.log = log;
        this.mtr = mtr;
    }

    /**
     * Cuts the space to a number of extents. Nobody follows pointers into the tail any more: the
     * epochs since its pages became free have passed.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return false, and nothing was changed, if a page of the tail is in use or reserved
     * @throws IOException if the file could not be cut; the space is shorter all the same
     */
    public boolean shrink(Space space, int extents) throws IOException {
        long newPageCount = (long) extents * space.pagesPerExtent();
        space.resizing().lock();
        try {
            if (extents < 1 || newPageCount >= space.pageCount() || space.isDropped()) {
                return false;
            }
            int perGroup = AllocationMap.pagesPerGroup(mtr.pageBytes());
            for (int group = (int) (newPageCount / perGroup); group < space.groupCount(); group++) {
                space.ensureLoaded(group);
            }
            long endLsn = log(space, newPageCount);
            if (endLsn == 0) {
                return false;
            }
            log.makeDurable(endLsn);
            TestHooks.reached(DURABLE);
            spaces.pool().discardFrom(space.spaceId(), (int) newPageCount);
            spaces.files().truncate(space.spaceId(), newPageCount);
            spaces.counters().increment(Counter.SPACE_SHRINKS);
            return true;
        } finally {
            space.resizing().unlock();
        }
    }

    private long log(Space space, long newPageCount) {
        mtr.begin(REDO_BYTES, 0, true);
        try {
            int header = mtr.fixExclusive(PageId.of(space.spaceId(), SpaceHeader.PAGE_NUMBER));
            if (!takeTail(space, newPageCount)) {
                mtr.abandon();
                return 0;
            }
            byte[] body = SpaceRecords.shrink(space.spaceId(), (int) newPageCount);
            mtr.recordWithoutPage(RedoType.SPACE_SHRINK).putBytes(body, 0, body.length);
            mtr.endRecord();
            mtr.patchInt(header, SpaceHeader.PAGE_COUNT_OFFSET, (int) newPageCount);
            return mtr.commit();
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        }
    }

    private boolean takeTail(Space space, long newPageCount) {
        space.latch().acquireExclusive();
        try {
            if (!space.freePages().shrink(newPageCount)) {
                return false;
            }
            space.condemnedQueue().cut(space.freePages().groupCount());
            space.pageCountLatched(newPageCount);
            return true;
        } catch (Throwable failure) {
            spaces.health().fail(failure);
            throw failure;
        } finally {
            space.latch().releaseExclusive();
        }
    }
}
