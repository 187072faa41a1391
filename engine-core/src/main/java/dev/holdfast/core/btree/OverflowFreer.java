// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.ChainFreer;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;

/** Frees condemned chains of overflow pages, a few pages a group. For one thread. */
public final class OverflowFreer implements ChainFreer {
    /*
     * Each group frees the first pages and condemns the one that is the head then; so after a crash
     * the rest is found by its head. Pages are latched in the order of the chain, which nobody else
     * walks any more.
     */
    private final BufferPool pool;
    private final MiniTransaction m;
    private final Counters counters;
    private final int groupPages;
    private final int[] frames = new int[OverflowStore.GROUP_PAGES_MAX];
    private final int[] numbers = new int[OverflowStore.GROUP_PAGES_MAX + 1];

    /** Uses the mini-transaction alone. */
    public OverflowFreer(BufferPool pool, MiniTransaction m, Counters counters) {
        this.pool = pool;
        this.m = m;
        this.counters = counters;
        this.groupPages = OverflowStore.groupPages(pool);
    }

    @Override
    public void freeChain(Space space, long headPageId) {
        int head = PageId.pageNumber(headPageId);
        while (head != OverflowLayout.NO_NEXT) {
            head = freeFirst(space, head);
        }
    }

    /** Frees the first pages of a chain and returns the new head. */
    private int freeFirst(Space space, int head) {
        int redoBytesMax = (groupPages + 1) * 4 * RedoWriter.RECORD_OVERHEAD_MAX;
        m.begin(redoBytesMax, OverflowStore.framesMax(groupPages), true);
        try {
            int next = head;
            int count = 0;
            while (count < groupPages && next != OverflowLayout.NO_NEXT) {
                long pageId = PageId.of(space.spaceId(), next);
                int frame = m.fixExclusive(pageId);
                checkType(frame, pageId);
                frames[count] = frame;
                numbers[count] = next;
                count++;
                next = OverflowLayout.next(pool.chunk(frame), pool.offset(frame));
            }
            boolean goesOn = next != OverflowLayout.NO_NEXT;
            numbers[count] = next;
            space.fixMaps(m, null, numbers, goesOn ? count + 1 : count);
            for (int i = 0; i < count; i++) {
                space.free(m, frames[i]);
            }
            if (goesOn) {
                space.condemn(m, PageId.of(space.spaceId(), next), true);
            }
            m.commit();
            counters.add(Counter.OVERFLOW_PAGES_FREED, count);
            return next;
        } catch (Throwable t) {
            throw m.failed(t);
        }
    }

    private void checkType(int frame, long pageId) {
        int type = NodeLayout.pageType(pool.chunk(frame), pool.offset(frame));
        if (type != PageType.OVERFLOW) {
            throw TreeCorruption.of(
                    pageId, "type=" + PageType.OVERFLOW + " in a condemned chain", "type=" + type);
        }
    }
}
