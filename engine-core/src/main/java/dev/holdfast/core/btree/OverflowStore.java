// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Long values in chains of overflow pages. Safe for all threads.
 *
 * <p>A chain is written once, from head to tail, and never changed. Whoever unlinks it condemns its
 * head in the unlinking group ({@link Space#condemn}); {@link OverflowFreer} frees it when nobody
 * can be following a pointer to it any more.
 */
public final class OverflowStore {
    /*
     * A value may be far longer than a group, so a chain grows by a few pages a group. The head comes
     * first and is owned at once; each further group links its pages behind the tail. At any moment
     * the owner can free all there is by following the chain.
     */

    /** Pages that one group writes or frees at most; fewer in a small pool. */
    static final int GROUP_PAGES_MAX = 8;

    private static final int GROUP_PAGES_MIN = 2;
    private static final int FRAMES_PER_GROUP_PAGE = 32;
    private static final int PAGE_RECORDS = 4;

    private final BufferPool pool;
    private final Counters counters;
    private final int pageBytes;
    private final int groupPages;

    public OverflowStore(BufferPool pool, Counters counters) {
        this.groupPages = groupPages(pool);
        this.pool = pool;
        this.counters = counters;
        this.pageBytes = pool.pageBytes();
    }

    static int groupPages(BufferPool pool) {
        int pages = pool.frameCount() / FRAMES_PER_GROUP_PAGE;
        return Math.max(GROUP_PAGES_MIN, Math.min(GROUP_PAGES_MAX, pages));
    }

    /** Frames for that many pages and a map page for each, beside those of an owner and a tail. */
    static int framesMax(int pages) {
        return 2 * pages + 2;
    }

    /**
     * Writes a value.
     *
     * <p><b>Latches:</b> none held, and the mini-transaction is not active; so on return. If
     * something is thrown, the pages written so far are the owner's.
     *
     * @param reserved for rollback, which may use what is kept for it
     * @return the head's page number, for an {@link OverflowPointer}
     * @throws dev.holdfast.DiskFullException if the space cannot grow
     */
    public int write(
            MiniTransaction m,
            Space space,
            int treeId,
            byte[] value,
            int offset,
            int length,
            boolean reserved,
            OverflowOwner owner) {
        int pageCount = OverflowLayout.pageCount(pageBytes, length);
        int head = PageId.NULL_PAGE_NUMBER;
        int tail = PageId.NULL_PAGE_NUMBER;
        for (int written = 0; written < pageCount; written += groupPages) {
            int count = Math.min(groupPages, pageCount - written);
            boolean isFirst = written == 0;
            try (PageReservation pages = space.reserve(count, tail, reserved)) {
                int first = pages.pageNumber(0);
                int last = pages.pageNumber(count - 1);
                m.begin(
                        redoBytesMax(count) + (isFirst ? owner.redoBytesMax() : 0),
                        framesMax(count),
                        reserved);
                try {
                    int tailFrame = -1;
                    if (isFirst) {
                        owner.latch(m);
                    } else {
                        tailFrame = m.fixExclusive(PageId.of(space.spaceId(), tail));
                    }
                    pages.fixMaps(m);
                    writeGroup(m, space, pages, treeId, value, offset, length, written);
                    if (isFirst) {
                        owner.own(m, first, length);
                    } else {
                        m.patchInt(tailFrame, OverflowLayout.NEXT_OFFSET, first);
                    }
                    m.commit();
                } catch (Throwable t) {
                    throw m.failed(t);
                }
                head = isFirst ? first : head;
                tail = last;
            }
        }
        counters.add(Counter.OVERFLOW_PAGES_WRITTEN, pageCount);
        return head;
    }

    private int redoBytesMax(int pages) {
        return pages * (PAGE_RECORDS * RedoWriter.RECORD_OVERHEAD_MAX + pageBytes)
                + 2 * RedoWriter.RECORD_OVERHEAD_MAX;
    }

    private void writeGroup(
            MiniTransaction m,
            Space space,
            PageReservation pages,
            int treeId,
            byte[] value,
            int offset,
            int length,
            int written) {
        int capacity = OverflowLayout.capacity(pageBytes);
        int sequence = written;
        while (pages.left() > 0) {
            int next = pages.left() > 1 ? pages.pageNumber(1) : OverflowLayout.NO_NEXT;
            int frame = space.allocate(m, pages, treeId, PageType.OVERFLOW);
            int from = sequence * capacity;
            int part = Math.min(capacity, length - from);
            OverflowLayout.fill(
                    m.chunk(frame), m.offset(frame), next, sequence, value, offset + from, part);
            int header = OverflowLayout.DATA_OFFSET - OverflowLayout.NEXT_OFFSET;
            m.patched(frame, OverflowLayout.NEXT_OFFSET, header + part);
            sequence++;
        }
    }

    /**
     * Copies a range of a value.
     *
     * <p>The caller is inside an operation epoch that began before it validated, for the last time,
     * the leaf or undo record that the pointer is from (P6).
     *
     * <p><b>Latches:</b> none held.
     *
     * @throws dev.holdfast.CorruptionException if the chain is not what the pointer says
     */
    public void read(
            int spaceId,
            int treeId,
            int headPageNumber,
            int totalLength,
            int from,
            byte[] target,
            int targetOffset,
            int length) {
        long head = PageId.of(spaceId, headPageNumber);
        copy(head, treeId, totalLength, from, target, null, targetOffset, length);
    }

    /** Copies a whole value to a place in a buffer of any kind, as the method above does. */
    public void read(
            int spaceId,
            int treeId,
            int headPageNumber,
            int totalLength,
            ByteBuffer target,
            int targetOffset) {
        long head = PageId.of(spaceId, headPageNumber);
        copy(head, treeId, totalLength, 0, null, target, targetOffset, totalLength);
    }

    /** One of the two targets is null. */
    private void copy(
            long headPageId,
            int treeId,
            int totalLength,
            int from,
            byte[] array,
            ByteBuffer buffer,
            int targetOffset,
            int length) {
        int capacity = OverflowLayout.capacity(pageBytes);
        long pageId = headPageId;
        int sequence = 0;
        int position = 0;
        int copied = 0;
        while (copied < length) {
            int part = Math.min(capacity, totalLength - position);
            int frame = pool.fixShared(pageId);
            boolean isPart;
            int next;
            try {
                ByteBuffer chunk = pool.chunk(frame);
                int page = pool.offset(frame);
                isPart = isPart(chunk, page, treeId, sequence, part);
                int skip = Math.min(part, Math.max(0, from - position));
                int count = Math.min(part - skip, length - copied);
                if (isPart && count > 0) {
                    int data = page + OverflowLayout.DATA_OFFSET + skip;
                    if (array != null) {
                        PageMemory.copyOut(chunk, data, array, targetOffset + copied, count);
                    } else {
                        buffer.put(targetOffset + copied, chunk, data, count);
                    }
                    copied += count;
                }
                next = OverflowLayout.next(chunk, page);
            } finally {
                pool.unfixShared(frame);
            }
            if (!isPart || (copied < length && next == OverflowLayout.NO_NEXT)) {
                throw broken(pageId, treeId, sequence, part);
            }
            pageId = PageId.of(PageId.spaceId(headPageId), next);
            sequence++;
            position += part;
        }
        counters.add(Counter.OVERFLOW_PAGES_READ, sequence);
    }

    /** Whether the page is this part of a chain of the tree. */
    static boolean isPart(ByteBuffer chunk, int page, int treeId, int sequence, int length) {
        return NodeLayout.pageType(chunk, page) == PageType.OVERFLOW
                && NodeLayout.treeId(chunk, page) == treeId
                && OverflowLayout.sequence(chunk, page) == sequence
                && OverflowLayout.dataLength(chunk, page) == length
                && OverflowLayout.reserved(chunk, page) == 0;
    }

    private static RuntimeException broken(long pageId, int treeId, int sequence, int length) {
        return TreeCorruption.of(
                pageId,
                "overflow page of tree=" + treeId + ", sequence=" + sequence + ", length=" + length,
                "another page, or the chain's end");
    }
}
