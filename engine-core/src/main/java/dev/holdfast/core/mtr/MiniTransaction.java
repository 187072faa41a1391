// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.EngineFailedException;
import dev.holdfast.StorageException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.FrameStock;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.core.watch.Tally;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/**
 * An atomic change of some pages. Reusable, for one thread at a time.
 *
 * <p>{@link #begin} acquires log space and frames; then pages are fixed and changed, and {@link
 * #commit} appends the redo as one group. The form of use:
 *
 * <pre>{@code
 * mtr.begin(redoBytes, frames, false);
 * try {
 *     int frame = mtr.fixExclusive(pageId);
 *     mtr.patchLong(frame, offset, value);
 *     mtr.commit();
 * } catch (Throwable t) {
 *     throw mtr.failed(t);
 * }
 * }</pre>
 *
 * <p>A page's bytes are touched only after one of {@link #changing}, {@link #record} or a patch
 * method has been called for its frame: by that {@link #failed} knows whether the engine can go on.
 */
public final class MiniTransaction {
    /*
     * The memo: frames that are latched, how, and what became of them. It has a fixed length, as has
     * everything else here after begin: what comes after the first change may not allocate (P9).
     *
     * Commit, in the order of P11: self-check and stamp records are added; the group's place is
     * reserved; frames are marked dirty with the group's start; stamps and page LSNs are set to its
     * end; the group is copied and published; the latches go. So when the closed LSN passes a group,
     * its frames bear a recovery LSN, and a checkpoint that read the closed LSN before it scanned
     * the frames cannot miss one.
     *
     * STAMP_END_LSN records stand last, after the self-check's, since the digest is taken before the
     * end LSN is known.
     */
    private static final int MEMO_MAX = 64;
    private static final int STAMPS_MAX = 8;
    private static final int PUBLISHED_MAX = 128;

    /** Room beyond what callers ask for: the header, and the records added by commit. */
    private static final int OVERHEAD_BYTES =
            16
                    + MEMO_MAX * (RedoWriter.RECORD_OVERHEAD_MAX + Integer.BYTES)
                    + STAMPS_MAX * (RedoWriter.RECORD_OVERHEAD_MAX + 5);

    public static final String RESERVED = "mtr.reserved";
    public static final String MARKED = "mtr.marked";
    public static final String PUBLISHED = "mtr.published";

    private static final byte CHANGED = 1;
    private static final byte FREED = 2;

    private final MtrContext context;
    private final Tally tally;
    private final BufferPool pool;
    private final int pageBytes;
    private final FrameStock stock;
    private final RedoWriter redo = new RedoWriter(512);

    private final int[] frames = new int[MEMO_MAX];
    private final byte[] marks = new byte[MEMO_MAX];
    private int memoCount;

    private final int[] stampFrames = new int[STAMPS_MAX];
    private final int[] stampOffsets = new int[STAMPS_MAX];
    private int stampCount;

    private final CommitListener[] listeners = new CommitListener[PUBLISHED_MAX];
    private final long[] publishedPages = new long[PUBLISHED_MAX];
    private int publishedCount;

    private boolean active;
    private boolean changed;
    private int grantedBytes;

    /** Counts with everybody else. */
    public MiniTransaction(MtrContext context) {
        this(context, context.counters());
    }

    /**
     * @param tally of whoever uses it, in the same thread
     */
    public MiniTransaction(MtrContext context, Tally tally) {
        this.context = context;
        this.tally = tally;
        this.pool = context.pool();
        this.pageBytes = pool.pageBytes();
        this.stock = pool.newStock();
    }

    /** No group is longer: 16 pages' worth, and never over 1 MiB. */
    public static int groupBytesMax(int pageBytes) {
        return Math.min(16 * pageBytes, 1 << 20);
    }

    /** The most that {@link #begin} may be asked for. */
    public static int redoBytesMax(int pageBytes) {
        return groupBytesMax(pageBytes) - OVERHEAD_BYTES;
    }

    /**
     * Acquires what the mini-transaction will need, waiting for it.
     *
     * <p><b>Latches:</b> none held.
     *
     * @param maxRedoBytes a bound on the records' bytes, each with {@link
     *     RedoWriter#RECORD_OVERHEAD_MAX}
     * @param frameCount how many pages it may create, or load with a latch held
     * @param reserved from what is kept for rollback, purge and checkpoint, without a time limit
     * @throws dev.holdfast.LogSpaceTimeoutException if there was no log space in time
     */
    public void begin(int maxRedoBytes, int frameCount, boolean reserved) {
        Invariants.check(!active, "mini-transaction is not active", memoCount);
        Invariants.check(
                maxRedoBytes <= redoBytesMax(pageBytes),
                "group within its limit",
                maxRedoBytes,
                redoBytesMax(pageBytes));
        context.health().check();
        int bytes = maxRedoBytes + OVERHEAD_BYTES;
        redo.reset();
        redo.ensure(bytes);
        if (reserved) {
            context.log().space().acquireReserved(bytes);
        } else {
            context.log()
                    .space()
                    .acquire(bytes, System.nanoTime() + context.logSpaceTimeoutNanos());
        }
        grantedBytes = bytes;
        assert HeldLatches.acquiredWithoutWaiting(CoreSites.LOG_SPACE, heldKey());
        boolean begun = false;
        try {
            pool.fill(stock, frameCount, reserved);
            begun = true;
        } finally {
            if (!begun) {
                releaseLogSpace();
            }
        }
        memoCount = 0;
        stampCount = 0;
        publishedCount = 0;
        changed = false;
        active = true;
    }

    public boolean active() {
        return active;
    }

    public int pageBytes() {
        return pageBytes;
    }

    /** Where its user counts. */
    public Tally tally() {
        return tally;
    }

    public ByteBuffer chunk(int frame) {
        return pool.chunk(frame);
    }

    public int offset(int frame) {
        return pool.offset(frame);
    }

    public long pageId(int frame) {
        return pool.pageId(frame);
    }

    /** Latches a page exclusively. A miss with a latch held takes a frame of the stock. */
    public int fixExclusive(long pageId) {
        checkRoom();
        boolean mayNotWaitForAFrame = memoCount > 0 && stock.count() > 0;
        int frame =
                mayNotWaitForAFrame
                        ? pool.fixExclusive(pageId, stock, tally)
                        : pool.fixExclusive(pageId, tally);
        return remember(frame);
    }

    /** Latches exclusively a page that was read under this version; false if it has changed. */
    public boolean fixUpgraded(int frame, long pageId, long version) {
        checkRoom();
        if (!pool.upgrade(frame, pageId, version)) {
            return false;
        }
        remember(frame);
        return true;
    }

    /**
     * Waits to latch a frame exclusively; keeps it and returns true if it holds the page. Loads
     * nothing, so it may be called with the parent's latch held.
     */
    public boolean fixResident(int frame, long pageId) {
        checkRoom();
        if (!pool.tryLatchExclusive(frame, pageId, tally)) {
            return false;
        }
        remember(frame);
        return true;
    }

    /** Latches a page exclusively if it is resident and free at once, else returns -1. */
    public int tryFixExclusive(long pageId) {
        checkRoom();
        int frame = pool.tryFixExclusive(pageId, tally);
        return frame < 0 ? frame : remember(frame);
    }

    /**
     * Makes a new page, all zero behind its header, in a frame of the stock, and logs that. Never
     * waits for long and never allocates, if the page was {@linkplain BufferPool#prepare prepared}.
     */
    public int fixNew(long pageId, int treeId, byte type) {
        checkRoom();
        int frame = pool.fixNew(pageId, stock);
        remember(frame);
        changing(frame);
        ByteBuffer chunk = pool.chunk(frame);
        int offset = pool.offset(frame);
        PageMemory.fill(chunk, offset, pageBytes, (byte) 0);
        PageHeader.initialize(chunk, offset, pageBytes, pageId, treeId, type);
        redo.begin(RedoType.PAGE_INIT, pageId);
        redo.putInt(treeId);
        redo.putByte(type);
        redo.end();
        return frame;
    }

    /** The frame in which this mini-transaction holds the page exclusively, or -1. */
    public int fixedFrame(long pageId) {
        for (int i = 0; i < memoCount; i++) {
            if (pool.pageId(frames[i]) == pageId) {
                return frames[i];
            }
        }
        return -1;
    }

    /** Whether it holds a space header or an allocation map at or behind this page's place. */
    public boolean holdsSpacePageFrom(long pageId) {
        for (int i = 0; i < memoCount; i++) {
            long held = pool.pageId(frames[i]);
            if (held >= pageId && pool.siteOf(held) == CoreSites.SPACE_PAGE) {
                return true;
            }
        }
        return false;
    }

    /** Releases a page that this mini-transaction has not changed. */
    public void unfix(int frame) {
        int index = indexOf(frame);
        Invariants.check(index >= 0, "frame is in the memo", frame);
        Invariants.check((marks[index] & CHANGED) == 0, "page is not changed", frame);
        memoCount--;
        frames[index] = frames[memoCount];
        marks[index] = marks[memoCount];
        pool.unfixExclusive(frame);
    }

    /** Says that the page's bytes will be touched now; the page is held exclusively. */
    public void changing(int frame) {
        int index = indexOf(frame);
        Invariants.check(index >= 0, "page is held exclusively", frame);
        marks[index] |= CHANGED;
        changed = true;
    }

    /** Begins a record on the page; its body follows, then {@link #endRecord}. */
    public RedoWriter record(int type, int frame) {
        changing(frame);
        redo.begin(type, pool.pageId(frame));
        return redo;
    }

    /** Begins a record that concerns no page. */
    public RedoWriter recordWithoutPage(int type) {
        changed = true;
        redo.begin(type);
        return redo;
    }

    public void endRecord() {
        redo.end();
    }

    /** Sets eight bytes of the page and logs them. */
    public void patchLong(int frame, int pageOffset, long value) {
        record(RedoType.PATCH, frame);
        PageMemory.putLong(pool.chunk(frame), pool.offset(frame) + pageOffset, value);
        redo.putVarint(pageOffset);
        redo.putLong(value);
        redo.end();
    }

    /** Sets four bytes of the page and logs them. */
    public void patchInt(int frame, int pageOffset, int value) {
        record(RedoType.PATCH, frame);
        PageMemory.putInt(pool.chunk(frame), pool.offset(frame) + pageOffset, value);
        redo.putVarint(pageOffset);
        redo.putInt(value);
        redo.end();
    }

    /** Sets two bytes of the page and logs them. */
    public void patchShort(int frame, int pageOffset, int value) {
        record(RedoType.PATCH, frame);
        PageMemory.putShort(pool.chunk(frame), pool.offset(frame) + pageOffset, value);
        redo.putVarint(pageOffset);
        redo.putShort(value);
        redo.end();
    }

    /** Sets one byte of the page and logs it. */
    public void patchByte(int frame, int pageOffset, int value) {
        record(RedoType.PATCH, frame);
        PageMemory.putByte(pool.chunk(frame), pool.offset(frame) + pageOffset, value);
        redo.putVarint(pageOffset);
        redo.putByte(value);
        redo.end();
    }

    /** Logs bytes that stand in the page already; {@link #changing} came before they were put. */
    public void patched(int frame, int pageOffset, int length) {
        record(RedoType.PATCH, frame);
        redo.putVarint(pageOffset);
        redo.putBytes(pool.chunk(frame), pool.offset(frame) + pageOffset, length);
        redo.end();
    }

    /** Logs the whole page as it is now; {@link #changing} came before it was made so. */
    public void image(int frame) {
        record(RedoType.PAGE_IMAGE, frame);
        PageImage.write(redo, pool.chunk(frame), pool.offset(frame), pageBytes);
        redo.end();
    }

    /** Has the LSN at which this group ends written there at commit, by redo too. */
    public void stampEndLsn(int frame, int pageOffset) {
        Invariants.check(stampCount < STAMPS_MAX, "stamps within their limit", stampCount);
        changing(frame);
        stampFrames[stampCount] = frame;
        stampOffsets[stampCount] = pageOffset;
        stampCount++;
    }

    /** Logs that the page is free; it is unlinked in this same mini-transaction (P17). */
    public void freed(int frame) {
        record(RedoType.PAGE_FREE, frame);
        redo.end();
        marks[indexOf(frame)] |= FREED;
    }

    /** Has the listener told of the page when this group is published. */
    public void onCommit(CommitListener listener, long pageId) {
        Invariants.check(
                publishedCount < PUBLISHED_MAX, "pages told within their limit", publishedCount);
        listeners[publishedCount] = listener;
        publishedPages[publishedCount] = pageId;
        publishedCount++;
    }

    /**
     * Appends the redo as one group and releases everything.
     *
     * @return the LSN at which the group ends; 0 if nothing was changed
     */
    public long commit() {
        Invariants.check(active, "mini-transaction is active", memoCount);
        if (!changed) {
            abandon();
            return 0;
        }
        long endLsn;
        try {
            endLsn = append();
        } catch (Throwable t) {
            throw failed(t);
        }
        end();
        tellListeners();
        return endLsn;
    }

    /** Releases everything; nothing was changed. Does nothing if it is not active. */
    public void abandon() {
        if (active) {
            Invariants.check(!changed, "nothing was changed", memoCount);
            end();
        }
    }

    /**
     * Ends the mini-transaction after something was thrown. If nothing was changed it is abandoned
     * and the cause is what is to be thrown on. Else pages may be wrong: the engine fails, before
     * the latches are released.
     *
     * @return what to throw
     */
    public RuntimeException failed(Throwable cause) {
        if (active && changed) {
            context.health().fail(cause);
            end();
        } else if (active) {
            end();
        }
        if (context.health().failed() && !(cause instanceof EngineFailedException)) {
            return new EngineFailedException(EngineHealth.messageOf(cause), cause);
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException exception
                ? exception
                : new StorageException(String.valueOf(cause.getMessage()), cause);
    }

    private long append() {
        if (context.selfCheck() != null) {
            addDigests();
        }
        addStamps();
        int groupBytes = redo.length();
        Invariants.check(
                groupBytes <= grantedBytes, "group within its grant", groupBytes, grantedBytes);
        RedoLog log = context.log();
        long position = log.reserve(groupBytes);
        long startLsn = RedoLog.startLsn(position);
        long endLsn = RedoLog.endLsn(position, groupBytes);
        TestHooks.reached(RESERVED);
        markDirty(startLsn);
        TestHooks.reached(MARKED);
        setLsns(endLsn);
        log.copyAndPublish(position, redo);
        TestHooks.reached(PUBLISHED);
        tally.increment(Counter.MTR_COMMITS);
        tally.add(Counter.MTR_REDO_BYTES, groupBytes);
        return endLsn;
    }

    private void addDigests() {
        for (int i = 0; i < memoCount; i++) {
            if ((marks[i] & (CHANGED | FREED)) == CHANGED) {
                redo.begin(RedoType.PAGE_CRC, pool.pageId(frames[i]));
                redo.putInt(
                        context.selfCheck()
                                .digest(pool.chunk(frames[i]), pool.offset(frames[i]), pageBytes));
                redo.end();
            }
        }
    }

    private void addStamps() {
        for (int i = 0; i < stampCount; i++) {
            redo.begin(RedoType.STAMP_END_LSN, pool.pageId(stampFrames[i]));
            redo.putVarint(stampOffsets[i]);
            redo.end();
        }
    }

    private void markDirty(long startLsn) {
        for (int i = 0; i < memoCount; i++) {
            if ((marks[i] & CHANGED) != 0) {
                pool.markDirty(frames[i], startLsn);
                if ((marks[i] & FREED) != 0) {
                    pool.pageFreed(frames[i]);
                }
            }
        }
    }

    private void setLsns(long endLsn) {
        for (int i = 0; i < stampCount; i++) {
            int frame = stampFrames[i];
            PageMemory.putLong(pool.chunk(frame), pool.offset(frame) + stampOffsets[i], endLsn);
        }
        for (int i = 0; i < memoCount; i++) {
            if ((marks[i] & CHANGED) != 0) {
                PageHeader.pageLsn(pool.chunk(frames[i]), pool.offset(frames[i]), endLsn);
            }
        }
    }

    private void tellListeners() {
        for (int i = 0; i < publishedCount; i++) {
            CommitListener listener = listeners[i];
            listeners[i] = null;
            try {
                listener.published(publishedPages[i]);
            } catch (Throwable t) {
                // The group is in the log; what memory believes of free pages is now wrong.
                context.health().fail(t);
            }
        }
        publishedCount = 0;
    }

    private void end() {
        active = false;
        for (int i = memoCount - 1; i >= 0; i--) {
            pool.unfixExclusive(frames[i]);
        }
        memoCount = 0;
        stock.close();
        releaseLogSpace();
    }

    private void releaseLogSpace() {
        assert HeldLatches.released(CoreSites.LOG_SPACE, heldKey());
        context.log().space().release(grantedBytes);
        grantedBytes = 0;
    }

    private long heldKey() {
        return System.identityHashCode(this);
    }

    private void checkRoom() {
        Invariants.check(active && memoCount < MEMO_MAX, "memo has room", memoCount, MEMO_MAX);
    }

    private int remember(int frame) {
        frames[memoCount] = frame;
        marks[memoCount] = 0;
        memoCount++;
        return frame;
    }

    private int indexOf(int frame) {
        for (int i = 0; i < memoCount; i++) {
            if (frames[i] == frame) {
                return i;
            }
        }
        return -1;
    }
}
