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

    /** What came of {@link #read}. */
    public enum Found {
        /** The record is of the row and transaction asked for; it was copied. */
        RECORD,
        /** Something else stands there: the pointer was stale, so the row is to be read again. */
        STALE,
        /** The page is not in the pool, and was not to be loaded. */
        NOT_RESIDENT
    }

    private final UndoSystem undo;
    private final BufferPool pool;

    public UndoReader(UndoSystem undo) {
        this.undo = undo;
        this.pool = undo.pool();
    }

    /**
     * Copies the record that a roll pointer leads to.
     *
     * <p><b>Latches:</b> none held; the row's leaf may be, shared, if the page is not to be loaded.
     */
    public Found read(
            long roll,
            int treeId,
            byte[] key,
            int keyLength,
            long transactionId,
            UndoVersion to,
            boolean loads) {
        long pageId = RollPointer.pageId(roll);
        UndoSpace space = undo.space(PageId.spaceId(pageId));
        if (space == null
                || Integer.toUnsignedLong(PageId.pageNumber(pageId)) >= space.space().pageCount()) {
            return Found.STALE;
        }
        Found found = copy(pageId, RollPointer.offset(roll), to, loads);
        return found == Found.RECORD && !to.isOf(treeId, key, keyLength, transactionId)
                ? Found.STALE
                : found;
    }

    /** Copies the record at an offset, if there is one. */
    private Found copy(long pageId, int offset, UndoVersion to, boolean loads) {
        while (true) {
            int frame = pool.find(pageId);
            if (frame < 0) {
                if (!loads) {
                    return Found.NOT_RESIDENT;
                }
                frame = pool.load(pageId, false);
            }
            long version = pool.optimisticVersion(frame, pageId);
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
                return sound ? Found.RECORD : Found.STALE;
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
                || copy(pageId, RollPointer.offset(roll), scratch, true) != Found.RECORD
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
