// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Tally;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The committed logs that are not purged yet, in the order of their commits. For one purge agent;
 * {@link #announce} is for everybody.
 */
public final class UndoHistory {
    /*
     * The history itself lies on disk, in the segments; in memory there is one position a segment,
     * so a long snapshot costs no memory. The queue orders the segments by the commit LSN of the
     * log that stands at their position.
     *
     * Purge walks forward over entries that are committed, which nobody changes any more. It steps
     * to the next page only if that one begins with something committed: an empty tail, or one that
     * an active transaction began, may be given back by a rollback under its feet. It looks at that
     * page inside an epoch, so that it is at least not reused meanwhile.
     *
     * A round of purge may run out of memory anywhere and is begun again. So what was taken stays in
     * a field until it is dealt with, and to announce a commit, which has happened already, allocates
     * nothing: the announced segments are a stack that goes through their own fields.
     *
     * Whoever meets a damaged undo page leaves the segment out of the order with its mark set. So no
     * commit announces it again, its space is not truncated, and its pages stay until the next open:
     * rows may still lead to them.
     */
    private final UndoSystem undo;
    private final BufferPool pool;
    private final OperationEpochs epochs;
    private final AtomicReference<UndoSegment> announced = new AtomicReference<>();
    private final PriorityQueue<UndoSegment> ordered =
            new PriorityQueue<>(Comparator.comparingLong(segment -> segment.purgeLsn));

    /** Taken from the announced, and not in order yet. */
    private UndoSegment fresh;

    /** Where the record that was read last stands. */
    private int recordPage;

    private int recordOffset;

    /** Set once, by who purges before it begins. */
    private Tally tally;

    UndoHistory(UndoSystem undo, OperationEpochs epochs) {
        this.undo = undo;
        this.pool = undo.pool();
        this.tally = pool.tally();
        this.epochs = epochs;
    }

    /** Says where the pages that are read for it count from now on: with those of who purges. */
    public void countIn(Tally purges) {
        tally = purges;
    }

    /** Says that a log of the segment has been committed. Never fails. */
    public void announce(UndoSegment segment) {
        if (segment.announced.get() || !segment.announced.compareAndSet(false, true)) {
            return;
        }
        UndoSegment behind;
        do {
            behind = announced.get();
            segment.nextAnnounced = behind;
        } while (!announced.compareAndSet(behind, segment));
    }

    /**
     * Takes the segment with the oldest committed log, if every snapshot sees that. If it throws
     * for a damaged page, that page's segment is left out and the next call goes on behind it.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return the segment, positioned on its first record, or {@code null}
     */
    public UndoSegment poll(long horizon) {
        orderAnnounced();
        UndoSegment oldest = ordered.peek();
        if (oldest == null || oldest.purgeLsn > horizon) {
            return null;
        }
        ordered.remove();
        oldest.purgeOffset += UndoEntry.LOG_HEADER_BYTES;
        return oldest;
    }

    private void orderAnnounced() {
        fresh = fresh == null ? announced.getAndSet(null) : fresh;
        while (fresh != null) {
            // Read first: once its mark is cleared a commit may announce it anew.
            UndoSegment behind = fresh.nextAnnounced;
            try {
                enqueue(fresh);
            } catch (CorruptionException damage) {
                fresh = behind;
                throw damage;
            }
            fresh = behind == null ? announced.getAndSet(null) : behind;
        }
    }

    /** Segments with committed logs that wait. Racy; for reports. */
    public int waiting() {
        int count = 0;
        for (UndoSpace space : undo.spaces()) {
            for (UndoSegment segment : space.segments()) {
                count += segment.announced.get() ? 1 : 0;
            }
        }
        return count;
    }

    /**
     * Positions a segment that was just opened on its first header. Its first page may begin with
     * the end of a log that is purged, whose header went with the pages before.
     */
    void skipPurged(UndoSegment segment) {
        while (true) {
            int frame = pool.fixShared(segment.pageId(segment.purgePage), tally);
            ByteBuffer chunk = pool.chunk(frame);
            int page = pool.offset(frame);
            int top = UndoPage.top(chunk, page);
            int at = segment.purgeOffset;
            while (at < top && UndoEntry.type(chunk, page + at) != UndoEntry.LOG_HEADER) {
                at += UndoEntry.length(chunk, page + at);
            }
            int next = UndoPage.next(chunk, page);
            pool.unfixShared(frame);
            segment.purgeOffset = at;
            boolean goesOn =
                    at == top && next != UndoDirectory.NO_PAGE && beginsWithRecord(segment, next);
            if (!goesOn) {
                return;
            }
            segment.purgePage = next;
            segment.purgeOffset = UndoPage.ENTRIES_OFFSET;
        }
    }

    /** A segment that cannot be read keeps its mark: it has history that nobody is done with. */
    private void enqueue(UndoSegment segment) {
        try {
            orderOrClear(segment);
        } catch (CorruptionException damage) {
            segment.announced.set(true);
            throw damage;
        }
    }

    /** Puts the segment in order, or clears its mark if nothing committed is left in it. */
    private void orderOrClear(UndoSegment segment) {
        while (!findLog(segment)) {
            segment.announced.set(false);
            // A commit that came after findLog's look has either announced by now, or shows here.
            if (!findLog(segment) || !segment.announced.compareAndSet(false, true)) {
                return;
            }
        }
        ordered.add(segment);
    }

    /** Positions the segment on the header of its oldest log that is committed. */
    private boolean findLog(UndoSegment segment) {
        int token = epochs.enter();
        try {
            while (true) {
                int frame = pool.fixShared(segment.pageId(segment.purgePage), tally);
                ByteBuffer chunk = pool.chunk(frame);
                int page = pool.offset(frame);
                int next = UndoPage.next(chunk, page);
                boolean atTop = segment.purgeOffset == UndoPage.top(chunk, page);
                boolean found = !atTop && isCommitted(chunk, page + segment.purgeOffset);
                if (found) {
                    segment.purgeLsn = UndoEntry.logCommitLsn(chunk, page + segment.purgeOffset);
                }
                pool.unfixShared(frame);
                if (found || !atTop) {
                    return found;
                }
                if (next == UndoDirectory.NO_PAGE || !beginsCommitted(segment, next)) {
                    return false;
                }
                segment.purgePage = next;
                segment.purgeOffset = UndoPage.ENTRIES_OFFSET;
            }
        } finally {
            epochs.leave(token);
        }
    }

    private static boolean isCommitted(ByteBuffer chunk, int entry) {
        assert UndoEntry.type(chunk, entry) == UndoEntry.LOG_HEADER : "not at a log header";
        return UndoEntry.logState(chunk, entry) == UndoEntry.LOG_COMMITTED;
    }

    private boolean beginsCommitted(UndoSegment segment, int pageNumber) {
        int frame = pool.fixShared(segment.pageId(pageNumber), tally);
        ByteBuffer chunk = pool.chunk(frame);
        int page = pool.offset(frame);
        boolean committed =
                UndoPage.top(chunk, page) > UndoPage.ENTRIES_OFFSET
                        && isCommitted(chunk, page + UndoPage.ENTRIES_OFFSET);
        pool.unfixShared(frame);
        return committed;
    }

    /**
     * Copies the next record of the log that the polled segment stands on.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return its roll pointer, or {@link RollPointer#NONE} at the end of the log
     */
    public long next(UndoSegment segment, UndoVersion target) {
        int token = epochs.enter();
        try {
            while (true) {
                int frame = pool.fixShared(segment.pageId(segment.purgePage), tally);
                ByteBuffer chunk = pool.chunk(frame);
                int page = pool.offset(frame);
                int next = UndoPage.next(chunk, page);
                int entry = page + segment.purgeOffset;
                boolean atTop = segment.purgeOffset == UndoPage.top(chunk, page);
                boolean isRecord = !atTop && UndoEntry.type(chunk, entry) != UndoEntry.LOG_HEADER;
                if (isRecord) {
                    target.copy(chunk, entry);
                    recordPage = segment.purgePage;
                    recordOffset = segment.purgeOffset;
                    segment.purgeOffset += UndoEntry.length(chunk, entry);
                }
                pool.unfixShared(frame);
                if (isRecord) {
                    return RollPointer.of(segment.pageId(recordPage), recordOffset);
                }
                if (!atTop || next == UndoDirectory.NO_PAGE || !beginsWithRecord(segment, next)) {
                    return RollPointer.NONE;
                }
                segment.purgePage = next;
                segment.purgeOffset = UndoPage.ENTRIES_OFFSET;
            }
        } finally {
            epochs.leave(token);
        }
    }

    /** A page that begins with a record goes on with the log of the page before it. */
    private boolean beginsWithRecord(UndoSegment segment, int pageNumber) {
        int frame = pool.fixShared(segment.pageId(pageNumber), tally);
        ByteBuffer chunk = pool.chunk(frame);
        int page = pool.offset(frame);
        boolean isRecord =
                UndoPage.top(chunk, page) > UndoPage.ENTRIES_OFFSET
                        && UndoEntry.type(chunk, page + UndoPage.ENTRIES_OFFSET)
                                != UndoEntry.LOG_HEADER;
        pool.unfixShared(frame);
        return isRecord;
    }

    /** Has {@link #next} return the record that was read last once more. */
    public void again(UndoSegment segment) {
        segment.purgePage = recordPage;
        segment.purgeOffset = recordOffset;
    }

    /**
     * Latches the page of the record that was read last.
     *
     * <p><b>Latches:</b> none held.
     */
    public int fixRecord(MiniTransaction mtr, UndoSegment segment) {
        return mtr.fixExclusive(segment.pageId(recordPage));
    }

    /**
     * Notes in the record that was read last that its before-image owns nothing any more, in the
     * group that condemns what it owned.
     *
     * <p><b>Latches:</b> the record's page is held in the frame.
     */
    public void markPurged(MiniTransaction mtr, int frame) {
        mtr.patchByte(frame, recordOffset + UndoEntry.STATUS_OFFSET, UndoEntry.STATUS_PURGED);
    }

    /**
     * Ends a log: gives back the pages that purge is past, and puts the segment in order again. May
     * be called once more if it threw.
     */
    public void finish(MiniTransaction mtr, UndoSegment segment) {
        while (segment.headPage != segment.purgePage) {
            freeHead(mtr, segment);
        }
        undo.counters().increment(Counter.UNDO_LOGS_PURGED);
        enqueue(segment);
    }

    void freeHead(MiniTransaction mtr, UndoSegment segment) {
        segment.headPage = unlinkHead(mtr, segment, false);
        undo.counters().increment(Counter.UNDO_PAGES_PURGED);
    }

    /**
     * Gives back all pages of a segment without history that no transaction has, and its slot in
     * the directory with the last one.
     */
    void freeChain(MiniTransaction mtr, UndoSegment segment) {
        assert !segment.announced.get() : "segment has history: " + segment;
        while (segment.headPage != segment.tailPage) {
            freeHead(mtr, segment);
        }
        unlinkHead(mtr, segment, true);
    }

    /** Takes the first page out of the chain and condemns it; returns the page behind it. */
    private int unlinkHead(MiniTransaction mtr, UndoSegment segment, boolean isLast) {
        long headId = segment.pageId(segment.headPage);
        int head = pool.fixShared(headId, tally);
        int next = UndoPage.next(pool.chunk(head), pool.offset(head));
        pool.unfixShared(head);
        Space space = segment.space.space();
        mtr.begin(8 * RedoWriter.RECORD_OVERHEAD_MAX + 64, 3, true);
        try {
            int directory = mtr.fixExclusive(UndoDirectory.pageId(space.spaceId()));
            boolean fixed = space.fixMap(mtr, headId);
            assert fixed : "the only map page";
            mtr.patchInt(
                    directory,
                    UndoDirectory.headOffset(segment.slot),
                    isLast ? UndoDirectory.NO_PAGE : next);
            if (isLast) {
                mtr.patchInt(
                        directory, UndoDirectory.tailOffset(segment.slot), UndoDirectory.NO_PAGE);
            }
            space.condemn(mtr, headId, false);
            mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
        return next;
    }
}
