// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/**
 * The undo log of one transaction, as its writer sees it. For one thread at a time; reused by the
 * next transaction after {@link #end}.
 *
 * <p>For a change: {@link #ensureRoom} with no latch held; in the tree's mini-transaction, after
 * the leaf, {@link #tryFix}; then {@link #append}. For a rollback: {@link #last} and {@link #pop}.
 */
public final class UndoLog {
    /*
     * The tail of the segment is in the segment's fields, so that finding room costs no page access.
     * They are changed where the page is, within a mini-transaction that either commits or makes the
     * engine fail.
     *
     * Growing is a group of its own (P7): old tail, new page, directory. The new page is empty,
     * which is a legal state of a tail after a crash. Shrinking is the same backwards: the emptied
     * tail is condemned, since a reader may be about to look at a record in it (P6).
     *
     * The log header is appended with the first record and popped with the last, so a log that was
     * rolled back leaves nothing.
     */
    private static final int PATCHES = 4;

    private UndoSegment segment;
    private long transactionId;
    private int headerPage;
    private int headerOffset;

    /** Records appended and not popped since begin or resume. */
    private long recordCount;

    /** The frame of the header's page, between fixHeader and the commit. */
    private int headerFrame;

    /** Takes a segment for a transaction; nothing is written yet. */
    public void begin(UndoSegment ownSegment, long ownTransactionId) {
        assert segment == null : "log in use: " + segment;
        segment = ownSegment;
        transactionId = ownTransactionId;
        headerOffset = 0;
        recordCount = 0;
    }

    /** Takes over the log of a transaction that a crash ended; its header is the newest. */
    public void resume(UndoSegment ownSegment, long ownTransactionId) {
        begin(ownSegment, ownTransactionId);
        headerPage = ownSegment.logPage;
        headerOffset = ownSegment.logOffset;
    }

    /** Whether it has a segment. */
    public boolean isBegun() {
        return segment != null;
    }

    /** Whether it has a header on its page, and with it at least one record. */
    public boolean isWritten() {
        return headerOffset != 0;
    }

    long transactionId() {
        return transactionId;
    }

    UndoSegment segment() {
        return segment;
    }

    /** Records appended and not popped since begin or resume: a mark to roll back to. */
    public long recordCount() {
        return recordCount;
    }

    /** Gives the segment up; it belongs to the caller. */
    public UndoSegment end() {
        UndoSegment ended = segment;
        segment = null;
        return ended;
    }

    /** A bound on the redo bytes of {@link #append}. */
    public static int appendRedoBytesMax(int keyLength, int valueLength) {
        return UndoEntry.recordBytes(keyLength, valueLength)
                + UndoEntry.LOG_HEADER_BYTES
                + PATCHES * (RedoWriter.RECORD_OVERHEAD_MAX + Long.BYTES);
    }

    /** Whether the record fits on the tail. */
    public boolean hasRoom(int recordBytes, int pageBytes) {
        return segment.tailTop + bytesFor(recordBytes) <= UndoPage.end(pageBytes);
    }

    private int bytesFor(int recordBytes) {
        return recordBytes + (isWritten() ? 0 : UndoEntry.LOG_HEADER_BYTES);
    }

    /**
     * Grows the log by a page if the record does not fit on the tail.
     *
     * <p><b>Latches:</b> none held; the mini-transaction is not active.
     */
    public void ensureRoom(MiniTransaction mtr, int recordBytes, boolean fromReserve) {
        if (hasRoom(recordBytes, mtr.pageBytes())) {
            return;
        }
        assert bytesFor(recordBytes) <= UndoPage.capacity(mtr.pageBytes())
                : "recordBytes=" + recordBytes;
        Space space = segment.space.space();
        try (PageReservation reservation = space.reserve(1, segment.tailPage, fromReserve)) {
            mtr.begin(8 * RedoWriter.RECORD_OVERHEAD_MAX + 128, 4, fromReserve);
            try {
                grow(mtr, space, reservation);
            } catch (Throwable t) {
                throw mtr.failed(t);
            }
        }
    }

    private void grow(MiniTransaction mtr, Space space, PageReservation reservation) {
        int old = mtr.fixExclusive(segment.tailPageId());
        int directory = mtr.fixExclusive(UndoDirectory.pageId(segment.space.spaceId()));
        reservation.fixMaps(mtr);
        int fresh = space.allocate(mtr, reservation, AllocationMap.UNDO_OWNER, PageType.UNDO_LOG);
        int page = PageId.pageNumber(mtr.pageId(fresh));
        UndoSpace.initialize(
                mtr, fresh, segment.slot, segment.tailPage, segment.logPage, segment.logOffset);
        mtr.patchInt(old, UndoPage.NEXT_OFFSET, page);
        mtr.patchInt(directory, UndoDirectory.tailOffset(segment.slot), page);
        mtr.commit();
        segment.tailPage = page;
        segment.tailTop = UndoPage.ENTRIES_OFFSET;
    }

    /**
     * Latches the tail exclusively if that needs no wait.
     *
     * <p><b>Latches:</b> a leaf may be held.
     *
     * @return the frame, or -1: then the caller lets all go, loads {@link #tailPageId} and tries
     *     again
     */
    public int tryFix(MiniTransaction mtr) {
        return mtr.tryFixExclusive(segment.tailPageId());
    }

    /**
     * Latches the tail exclusively, waiting for its readers, and for its read if the pool has lost
     * it. Nobody waits for anything with an undo page held, so this ends.
     *
     * <p><b>Latches:</b> a leaf may be held if the mini-transaction has a frame for the read.
     */
    public int fix(MiniTransaction mtr) {
        return mtr.fixExclusive(segment.tailPageId());
    }

    public long tailPageId() {
        return segment.tailPageId();
    }

    /**
     * Appends a record, and the log's header before the first one.
     *
     * <p><b>Latches:</b> the tail is held in the frame. Nothing here fails, waits or allocates.
     *
     * @return the roll pointer of the record
     */
    public long append(MiniTransaction mtr, int frame, UndoImage image) {
        ByteBuffer chunk = mtr.chunk(frame);
        int page = mtr.offset(frame);
        int start = segment.tailTop;
        assert UndoPage.top(chunk, page) == start : "top=" + UndoPage.top(chunk, page);
        mtr.changing(frame);
        int at = start;
        if (!isWritten()) {
            UndoEntry.writeLogHeader(chunk, page + at, transactionId);
            headerPage = segment.tailPage;
            headerOffset = at;
            segment.logPage = headerPage;
            segment.logOffset = headerOffset;
            mtr.patchInt(frame, UndoPage.LOG_PAGE_OFFSET, headerPage);
            mtr.patchShort(frame, UndoPage.LOG_OFFSET_OFFSET, headerOffset);
            at += UndoEntry.LOG_HEADER_BYTES;
        }
        UndoEntry.writeRecord(chunk, page + at, headerPage, headerOffset, image);
        int top = at + image.recordBytes();
        mtr.patched(frame, start, top - start);
        mtr.patchShort(frame, UndoPage.TOP_OFFSET, top);
        segment.tailTop = top;
        recordCount++;
        return RollPointer.of(segment.tailPageId(), at);
    }

    /**
     * Latches the page of the log's header, for {@link #markCommitted}.
     *
     * <p><b>Latches:</b> none held before; on return that page, by the mini-transaction.
     */
    public void fixHeader(MiniTransaction mtr) {
        headerFrame = mtr.fixExclusive(segment.pageId(headerPage));
    }

    /**
     * Marks the log as committed, with the end LSN of this mini-transaction as its number; the
     * caller commits that. {@link #fixHeader} has latched the page. Does not fail.
     */
    public void markCommitted(MiniTransaction mtr) {
        mtr.patchByte(
                headerFrame, headerOffset + UndoEntry.LOG_STATE_OFFSET, UndoEntry.LOG_COMMITTED);
        mtr.stampEndLsn(headerFrame, headerOffset + UndoEntry.LOG_COMMIT_LSN_OFFSET);
    }

    /** A bound on the redo bytes of a commit. */
    public static int commitRedoBytes() {
        return 2 * (RedoWriter.RECORD_OVERHEAD_MAX + Long.BYTES);
    }

    /**
     * Copies the newest record, which a rollback undoes next; gives back empty pages on the way.
     *
     * <p><b>Latches:</b> none held; the mini-transaction is not active.
     *
     * @return the roll pointer of the record, or {@link RollPointer#NONE} if there is none left
     */
    public long last(MiniTransaction mtr, BufferPool pool, UndoVersion target) {
        if (!isWritten()) {
            return RollPointer.NONE;
        }
        while (segment.tailTop == UndoPage.ENTRIES_OFFSET) {
            shrink(mtr);
        }
        int frame = pool.fixShared(segment.tailPageId());
        ByteBuffer chunk = pool.chunk(frame);
        int page = pool.offset(frame);
        int at = segment.tailTop - UndoEntry.lengthBefore(chunk, page + segment.tailTop);
        target.copy(chunk, page + at);
        pool.unfixShared(frame);
        assert target.transactionId() == transactionId : "record=" + target;
        return RollPointer.of(segment.tailPageId(), at);
    }

    /**
     * Removes the newest record, in the mini-transaction that undoes it (P8).
     *
     * <p><b>Latches:</b> the tail is held in the frame. Nothing here fails.
     */
    public void pop(MiniTransaction mtr, int frame) {
        ByteBuffer chunk = mtr.chunk(frame);
        int page = mtr.offset(frame);
        if (TestHooks.fault(PlantedFault.ROLLBACK_NOT_LOGGED)) {
            popUnlogged(mtr, frame);
            return;
        }
        int top = segment.tailTop - UndoEntry.lengthBefore(chunk, page + segment.tailTop);
        recordCount--;
        if (segment.tailPage == headerPage && top == headerOffset + UndoEntry.LOG_HEADER_BYTES) {
            top = headerOffset;
            mtr.patchShort(frame, UndoPage.LOG_OFFSET_OFFSET, 0);
            segment.logOffset = 0;
            headerOffset = 0;
        }
        mtr.patchShort(frame, UndoPage.TOP_OFFSET, top);
        segment.tailTop = top;
    }

    /** The planted fault: the page forgets the record, the log does not. */
    private void popUnlogged(MiniTransaction mtr, int frame) {
        ByteBuffer chunk = mtr.chunk(frame);
        int page = mtr.offset(frame);
        mtr.changing(frame);
        recordCount--;
        segment.tailTop -= UndoEntry.lengthBefore(chunk, page + segment.tailTop);
        if (segment.tailTop == headerOffset + UndoEntry.LOG_HEADER_BYTES) {
            segment.tailTop = headerOffset;
            headerOffset = 0;
        }
        PageMemory.putShort(chunk, page + UndoPage.TOP_OFFSET, segment.tailTop);
    }

    /** A bound on the redo bytes of {@link #pop}. */
    public static int popRedoBytes() {
        return 2 * (RedoWriter.RECORD_OVERHEAD_MAX + Long.BYTES);
    }

    /** Gives back the empty tail page; the record before it stands on the page before it. */
    private void shrink(MiniTransaction mtr) {
        Space space = segment.space.space();
        mtr.begin(8 * RedoWriter.RECORD_OVERHEAD_MAX + 128, 4, true);
        try {
            int tail = mtr.fixExclusive(segment.tailPageId());
            int previous = UndoPage.previous(mtr.chunk(tail), mtr.offset(tail));
            long tailId = mtr.pageId(tail);
            mtr.unfix(tail);
            int before = mtr.fixExclusive(segment.pageId(previous));
            int directory = mtr.fixExclusive(UndoDirectory.pageId(segment.space.spaceId()));
            boolean fixed = space.fixMap(mtr, tailId);
            assert fixed : "the only map page";
            int top = UndoPage.top(mtr.chunk(before), mtr.offset(before));
            mtr.patchInt(before, UndoPage.NEXT_OFFSET, UndoDirectory.NO_PAGE);
            mtr.patchInt(directory, UndoDirectory.tailOffset(segment.slot), previous);
            space.condemn(mtr, tailId, false);
            mtr.commit();
            segment.tailPage = previous;
            segment.tailTop = top;
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }
}
