// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Follows roll pointers. For one thread; the caller is inside an operation epoch and has validated
 * the leaf after it entered (P6).
 */
public final class UndoReader {
    /** The transaction's log header is not there any more: it is visible to all. */
    public static final long LOG_GONE = 0;

    /** The log header says that the transaction has not committed. */
    public static final long LOG_IS_ACTIVE = -1;

    private final UndoSystem undo;
    private final BufferPool pool;

    public UndoReader(UndoSystem undo) {
        this.undo = undo;
        this.pool = undo.pool();
    }

    /**
     * Copies the record that a roll pointer leads to.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return false if what stands there is not of this row and transaction: the pointer was stale,
     *     so the row is to be read again
     */
    public boolean read(
            long roll, int treeId, byte[] key, int keyLength, long transactionId, UndoVersion to) {
        long pageId = RollPointer.pageId(roll);
        UndoSpace space = undo.space(PageId.spaceId(pageId));
        if (space == null
                || Integer.toUnsignedLong(PageId.pageNumber(pageId)) >= space.space().pageCount()) {
            return false;
        }
        return copy(pageId, RollPointer.offset(roll), to)
                && to.isOf(treeId, key, keyLength, transactionId);
    }

    /** Copies the record at an offset; false if there is none. */
    private boolean copy(long pageId, int offset, UndoVersion to) {
        while (true) {
            int frame = pool.find(pageId);
            if (frame < 0) {
                frame = pool.load(pageId, false);
            }
            long version = pool.optimisticVersion(frame);
            if (!pool.holds(frame, pageId)) {
                continue;
            }
            ByteBuffer chunk = pool.chunk(frame);
            int page = pool.offset(frame);
            boolean sound = isUndoPage(chunk, page);
            try {
                if (sound) {
                    to.copy(chunk, page + offset);
                }
            } catch (IndexOutOfBoundsException torn) {
                // Either a writer was at work, and validation fails, or no record begins there.
                sound = false;
            }
            if (pool.validate(frame, version)) {
                return sound;
            }
        }
    }

    private static boolean isUndoPage(ByteBuffer chunk, int page) {
        return PageMemory.getByte(chunk, page + PageHeader.TYPE_OFFSET) == PageType.UNDO_LOG;
    }

    /**
     * What the log header of a transaction says that has left the transaction table (P4).
     *
     * <p><b>Latches:</b> none held.
     *
     * @param roll the roll pointer that stands beside its id in the row
     * @return its commit LSN, {@link #LOG_IS_ACTIVE}, or {@link #LOG_GONE}
     */
    public long commitLsn(long roll, long transactionId, UndoVersion scratch) {
        long pageId = RollPointer.pageId(roll);
        UndoSpace space = undo.space(PageId.spaceId(pageId));
        if (space == null
                || !isUndo(space, PageId.pageNumber(pageId))
                || !copy(pageId, RollPointer.offset(roll), scratch)
                || scratch.transactionId() != transactionId
                || !isUndo(space, scratch.logPage())) {
            return LOG_GONE;
        }
        long headerPageId = PageId.of(space.spaceId(), scratch.logPage());
        int frame = pool.fixShared(headerPageId);
        try {
            return headerState(
                    pool.chunk(frame), pool.offset(frame), scratch.logOffset(), transactionId);
        } finally {
            pool.unfixShared(frame);
        }
    }

    private static long headerState(ByteBuffer chunk, int page, int offset, long transactionId) {
        int entry = page + offset;
        if (!isUndoPage(chunk, page)
                || offset < UndoPage.ENTRIES_OFFSET
                || offset + UndoEntry.LOG_HEADER_BYTES > UndoPage.top(chunk, page)
                || UndoEntry.type(chunk, entry) != UndoEntry.LOG_HEADER
                || UndoEntry.logTransactionId(chunk, entry) != transactionId) {
            return LOG_GONE;
        }
        return UndoEntry.logState(chunk, entry) == UndoEntry.LOG_COMMITTED
                ? UndoEntry.logCommitLsn(chunk, entry)
                : LOG_IS_ACTIVE;
    }

    private static boolean isUndo(UndoSpace space, int pageNumber) {
        return space.space().ownerOf(pageNumber) == AllocationMap.UNDO_OWNER;
    }
}
