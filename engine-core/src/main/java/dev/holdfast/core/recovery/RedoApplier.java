// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.btree.TreeRedo;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.FrameStock;
import dev.holdfast.core.mtr.PageDigest;
import dev.holdfast.core.mtr.PageRedo;
import dev.holdfast.core.mtr.RedoApply;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.watch.EngineHealth;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Applies the records of batches to pages in the pool. For one thread. */
final class RedoApplier {
    /*
     * All records of a group for one page are applied under one latch, and the page LSN is set
     * after the last: so a page that the cleaner writes meanwhile holds a group whole or not at all,
     * and a crash in recovery finds what it would have found in the first place.
     *
     * A page that the group makes anew gets a frame without a read (P12). Records of the group
     * before the one that makes the page are of its former life and are left out.
     *
     * If a record cannot be applied the engine is made to fail before the latch is released; the
     * flusher looks at that after it has copied a page and before it writes the copy.
     */
    private static final int RECORDS_AT_FIRST = 64;

    private final BufferPool pool;
    private final EngineHealth health;
    private final int pageBytes;
    private final FrameStock stock;
    private final PageRedo general = new RedoApply(PageDigest.BODY);
    private final PageRedo trees;

    /** The records of the group at hand; the page id of one that is done is PageId.NONE. */
    private int[] types = new int[RECORDS_AT_FIRST];

    private long[] pageIds = new long[RECORDS_AT_FIRST];
    private int[] bodies = new int[RECORDS_AT_FIRST];
    private int[] lengths = new int[RECORDS_AT_FIRST];
    private int count;

    private long applied;
    private long skipped;

    RedoApplier(BufferPool pool, EngineHealth health) {
        this.pool = pool;
        this.health = health;
        this.pageBytes = pool.pageBytes();
        this.stock = pool.newStock();
        this.trees = new TreeRedo(pageBytes);
    }

    /** Records that changed a page. */
    long applied() {
        return applied;
    }

    /** Records whose page held them already. */
    long skipped() {
        return skipped;
    }

    /** Applies all groups of a batch in their order. */
    void apply(RedoBatch batch) {
        while (batch.hasGroup()) {
            int end = batch.nextGroup();
            long startLsn = batch.nextLong();
            long endLsn = batch.nextLong();
            count = 0;
            while (batch.position() < end) {
                remember(batch);
            }
            for (int i = 0; i < count; i++) {
                if (pageIds[i] != PageId.NONE) {
                    applyPage(i, batch.bytes(), startLsn, endLsn);
                }
            }
        }
    }

    private void remember(RedoBatch batch) {
        if (count == types.length) {
            types = Arrays.copyOf(types, 2 * count);
            pageIds = Arrays.copyOf(pageIds, 2 * count);
            bodies = Arrays.copyOf(bodies, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        types[count] = batch.nextInt();
        pageIds[count] = batch.nextLong();
        lengths[count] = batch.nextInt();
        bodies[count] = batch.position();
        batch.skip(lengths[count]);
        count++;
    }

    private void applyPage(int first, byte[] bytes, long startLsn, long endLsn) {
        long pageId = pageIds[first];
        int from = first;
        boolean whole = false;
        for (int i = first; i < count; i++) {
            if (pageIds[i] == pageId && RedoApply.makesWholePage(types[i])) {
                from = i;
                whole = true;
            }
        }
        int frame = whole ? fixNew(pageId) : pool.fixExclusive(pageId);
        try {
            boolean needed = whole || endLsn > PageHeader.pageLsn(chunk(frame), offset(frame));
            if (needed) {
                applyRecords(from, frame, bytes, endLsn);
                PageHeader.pageLsn(chunk(frame), offset(frame), endLsn);
                pool.markDirty(frame, startLsn);
            }
            markDone(first, pageId, needed);
        } catch (Throwable failure) {
            health.fail(failure);
            throw failure;
        } finally {
            pool.unfixExclusive(frame);
            stock.close();
        }
    }

    private int fixNew(long pageId) {
        pool.prepare(pageId);
        pool.fill(stock, 1, false);
        return pool.fixNew(pageId, stock);
    }

    private void applyRecords(int from, int frame, byte[] bytes, long endLsn) {
        long pageId = pageIds[from];
        for (int i = from; i < count; i++) {
            if (pageIds[i] == pageId) {
                redoOf(types[i], pageId, endLsn)
                        .apply(
                                types[i],
                                pageId,
                                chunk(frame),
                                offset(frame),
                                pageBytes,
                                bytes,
                                bodies[i],
                                lengths[i],
                                endLsn);
            }
        }
    }

    private void markDone(int first, long pageId, boolean wasNeeded) {
        for (int i = first; i < count; i++) {
            if (pageIds[i] == pageId) {
                pageIds[i] = PageId.NONE;
                if (wasNeeded) {
                    applied++;
                } else {
                    skipped++;
                }
            }
        }
    }

    private PageRedo redoOf(int type, long pageId, long endLsn) {
        if (type <= RedoType.STAMP_END_LSN) {
            return general;
        }
        if (type >= RedoType.TREE_FIRST && type <= RedoType.TREE_LAST) {
            return trees;
        }
        throw new CorruptionException(
                "redo record is of no known type",
                "redo",
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                "a type of page records",
                "type=" + type + ", groupEndLsn=" + endLsn);
    }

    private ByteBuffer chunk(int frame) {
        return pool.chunk(frame);
    }

    private int offset(int frame) {
        return pool.offset(frame);
    }
}
