// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Walks the undo spaces from their directories, for the verifier, while no page changes. One page
 * in memory at a time; stops at no finding but where the chain itself is broken.
 */
public final class UndoCheck {
    private final UndoSystem undo;
    private final BufferPool pool;
    private final int pageBytes;
    private final Visitor visitor;
    private final ByteBuffer page;

    /** Whether the log that the present entry belongs to has committed. */
    private boolean logCommitted;

    private long appendLsn;

    public UndoCheck(UndoSystem undo, Visitor visitor) {
        this.undo = undo;
        this.pool = undo.pool();
        this.pageBytes = pool.pageBytes();
        this.visitor = visitor;
        this.page = ByteBuffer.allocateDirect(pageBytes);
    }

    /** Who is told of what is met. */
    public interface Visitor {
        /** A page of the undo space; false if it was met before: then the chain is left. */
        boolean page(long pageId);

        /**
         * An overflow chain that an undo record owns.
         *
         * @param certain false if a row may own it as well, since the transaction is active
         */
        void chain(int treeId, int headPage, boolean certain);

        void finding(long pageId, String invariant, String what, String expected, String found);
    }

    /**
     * Walks them all.
     *
     * @param appendLsnNow the end of the log: no commit number is above it
     */
    public void run(long appendLsnNow) {
        appendLsn = appendLsnNow;
        int slots = UndoDirectory.slots(pageBytes);
        for (UndoSpace space : undo.spaces()) {
            long directoryId = UndoDirectory.pageId(space.spaceId());
            visitor.page(directoryId);
            for (int slot = 0; slot < slots; slot++) {
                if (!copy(directoryId)) {
                    break;
                }
                int head = UndoDirectory.head(page, 0, slot);
                int tail = UndoDirectory.tail(page, 0, slot);
                if (head != UndoDirectory.NO_PAGE) {
                    segment(space, slot, head, tail);
                }
            }
        }
    }

    private void segment(UndoSpace space, int slot, int head, int tail) {
        int number = head;
        logCommitted = true;
        while (true) {
            long pageId = PageId.of(space.spaceId(), number);
            if (!visitor.page(pageId) || !copy(pageId) || !isOfSegment(pageId, slot)) {
                return;
            }
            entries(pageId);
            int next = UndoPage.next(page, 0);
            boolean isTail = number == tail;
            if (isTail != (next == UndoDirectory.NO_PAGE)) {
                visitor.finding(
                        pageId,
                        "U2",
                        "the chain ends at the tail that the directory names",
                        "tail=" + tail,
                        "next=" + next);
                return;
            }
            if (isTail) {
                return;
            }
            number = next;
        }
    }

    private boolean isOfSegment(long pageId, int slot) {
        int type = PageMemory.getByte(page, PageHeader.TYPE_OFFSET);
        int top = UndoPage.top(page, 0);
        boolean sound =
                type == PageType.UNDO_LOG
                        && UndoPage.slot(page, 0) == slot
                        && top >= UndoPage.ENTRIES_OFFSET
                        && top <= UndoPage.end(pageBytes);
        if (!sound) {
            visitor.finding(
                    pageId,
                    "U1",
                    "page of an undo segment",
                    "type=" + PageType.UNDO_LOG + ", slot=" + slot,
                    "type=" + type + ", slot=" + UndoPage.slot(page, 0) + ", top=" + top);
        }
        return sound;
    }

    private void entries(long pageId) {
        int top = UndoPage.top(page, 0);
        int at = UndoPage.ENTRIES_OFFSET;
        while (at < top) {
            int length = UndoEntry.length(page, at);
            boolean framed =
                    length >= UndoEntry.LOG_HEADER_BYTES
                            && at + length <= top
                            && UndoEntry.lengthBefore(page, at + length) == length;
            if (!framed) {
                visitor.finding(
                        pageId,
                        "U3",
                        "an entry bears its length at both ends",
                        "within top=" + top,
                        "offset=" + at + ", length=" + length);
                return;
            }
            if (UndoEntry.type(page, at) == UndoEntry.LOG_HEADER) {
                header(pageId, at);
            } else {
                record(pageId, at);
            }
            at += length;
        }
    }

    private void header(long pageId, int at) {
        logCommitted = UndoEntry.logState(page, at) == UndoEntry.LOG_COMMITTED;
        long lsn = UndoEntry.logCommitLsn(page, at);
        boolean sound = logCommitted ? lsn > 0 && lsn <= appendLsn : lsn == 0;
        if (!sound) {
            visitor.finding(
                    pageId,
                    "U4",
                    "a log is committed at an LSN of the log, or bears none",
                    "at most " + appendLsn,
                    "lsn=" + lsn + ", state=" + UndoEntry.logState(page, at));
        }
    }

    private void record(long pageId, int at) {
        UndoVersion record = new UndoVersion();
        try {
            record.copy(page, at);
        } catch (IndexOutOfBoundsException e) {
            visitor.finding(
                    pageId, "U5", "an undo record", "a known type and lengths that agree", "" + e);
            return;
        }
        boolean replaced =
                record.type() == UndoEntry.UPDATE
                        && (record.previousFlags() & LeafRecord.OVERFLOW) != 0
                        && !record.isPurged();
        boolean owned = record.type() == UndoEntry.OVERFLOW_OWNED && !logCommitted;
        if (replaced || owned) {
            visitor.chain(record.treeId(), OverflowPointer.headPage(record.value(), 0), replaced);
        }
    }

    private boolean copy(long pageId) {
        int frame;
        try {
            frame = pool.fixShared(pageId);
        } catch (CorruptionException damaged) {
            visitor.finding(pageId, "U1", "undo page", damaged.expected(), damaged.found());
            return false;
        }
        PageMemory.copy(pool.chunk(frame), pool.offset(frame), page, 0, pageBytes);
        pool.unfixShared(frame);
        return true;
    }
}
