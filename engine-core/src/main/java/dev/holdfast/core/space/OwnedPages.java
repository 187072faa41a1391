// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.sync.TestHooks;
import java.util.Arrays;

/**
 * Frees all pages of one tree in a space, whatever hangs from what (P19). Nobody writes the tree
 * any more.
 */
public final class OwnedPages {
    /*
     * By the allocation maps, in many groups, so that it can stop anywhere and be begun again. A
     * page that is in the pool is latched and logged as free, so that its frame keeps its recovery
     * LSN until the record is durable (P11) and redo of its older changes is harmless. A page that
     * is not in the pool is on disk as its last change left it: an entry in the map is enough.
     * Pages are latched by trying, since they come after nothing that is held; one that a late
     * reader holds is left for the next round.
     *
     * First the condemned heads of chains, everywhere, then the rest: a chain whose head is still
     * condemned while pages behind it are free would, after a crash, be followed into pages that
     * belong to somebody else by then. The space's resizing lock keeps the agent that frees chains
     * away from each batch.
     */
    static final String BATCH_FREED = "space.owned.batchFreed";

    private static final int BATCH = 16;
    private static final int REDO_BYTES =
            BATCH * (2 * RedoWriter.RECORD_OVERHEAD_MAX + 5 + Long.BYTES);

    private final BufferPool pool;
    private final MiniTransaction mtr;
    private final int[] batch = new int[BATCH];
    private final int[] frames = new int[BATCH];

    /** Uses the mini-transaction alone. */
    public OwnedPages(Spaces spaces, MiniTransaction mtr) {
        this.pool = spaces.pool();
        this.mtr = mtr;
    }

    /**
     * Frees them all. Log space is taken from the reserve. <b>Latches:</b> none held.
     *
     * @return how many pages were freed
     */
    public long freeAll(Space space, int treeId) {
        assert treeId != AllocationMap.SYSTEM_OWNER : "treeId=" + treeId;

        return freeAll(space, treeId, AllocationMap.CONDEMNED_CHAIN)
                + freeAll(space, treeId, AllocationMap.USED);
    }

    private long freeAll(Space space, int treeId, int stateMin) {
        long freed = 0;
        for (int group = 0; group < space.groupCount(); group++) {
            int count;
            do {
                int now;
                space.resizing().lock();
                try {
                    count = collect(space, group, treeId, stateMin);
                    now = count == 0 ? 0 : free(space, count);
                } finally {
                    space.resizing().unlock();
                }
                if (now == 0 && count > 0) {
                    awaitReader(PageId.of(space.spaceId(), batch[0]));
                }
                freed += now;
            } while (count > 0);
        }
        return freed;
    }

    /** All pages of the batch were latched by others: waits for one of them. */
    private void awaitReader(long pageId) {
        int frame = pool.fixExclusive(pageId);
        pool.unfixExclusive(frame);
    }

    private int collect(Space space, int group, int treeId, int stateMin) {
        int pages = AllocationMap.pagesPerGroup(pool.pageBytes());
        int count = 0;
        int frame = pool.fixShared(space.mapPageId(group));
        for (int index = 0; index < pages && count < BATCH; index++) {
            long entry = AllocationMap.entryAt(pool.chunk(frame), pool.offset(frame), index);
            if (AllocationMap.owner(entry) == treeId && AllocationMap.state(entry) >= stateMin) {
                batch[count] = group * pages + index;
                count++;
            }
        }
        pool.unfixShared(frame);
        return count;
    }

    private int free(Space space, int count) {
        int freed = 0;
        mtr.begin(REDO_BYTES, 1, true);
        try {
            int latched = latch(space, count);
            space.fixMaps(mtr, null, batch, latched);
            for (int i = 0; i < latched; i++) {
                if (frames[i] >= 0) {
                    space.free(mtr, frames[i]);
                } else {
                    space.freeUnlatched(mtr, PageId.of(space.spaceId(), batch[i]));
                }
            }
            freed = latched;
            mtr.commit();
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        }
        TestHooks.reached(BATCH_FREED);
        return freed;
    }

    /** Latches the resident pages of the batch and leaves out those that are busy. */
    private int latch(Space space, int count) {
        int kept = 0;
        Arrays.fill(frames, -1);
        for (int i = 0; i < count; i++) {
            long pageId = PageId.of(space.spaceId(), batch[i]);
            int frame = mtr.tryFixExclusive(pageId);
            if (frame >= 0 || pool.find(pageId) < 0) {
                batch[kept] = batch[i];
                frames[kept] = frame;
                kept++;
            }
        }
        return kept;
    }
}
