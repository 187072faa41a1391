// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.memory.PoolMemory;
import dev.holdfast.sync.BufferLatch;
import java.nio.ByteBuffer;

/** The control line of each frame: 64 bytes, cache-line aligned, outside the pages. */
final class FrameTable implements AutoCloseable {
    /*
     * What every access touches lies here and not in the page: page-aligned frames have equal
     * offsets in equal cache sets, and a table of lines does not.
     *
     * field                 written by                      read by            guard or mode
     * latch                 all                             all                its own word
     * pageId                holder of X                     anyone             opaque; trusted under
     *                                                                          a latch or a version
     * recoveryLsn           marker (X), flusher             checkpoint, all    flush-list latch;
     *                                                                          readers acquire
     * recoveryLsnSinceCopy  marker (X), flusher             the same           flush-list latch
     * state                 holder of X                     anyone             release / acquire
     * reference             anyone                          clock hands        opaque: a lost touch
     *                                                                          costs a reload at most
     * writing               flusher: on under S and the     evictor, marker    volatile
     *                       flush-list latch, off under
     *                       the latter
     * loadNumber            loader (X)                      its waiters        opaque, by equality
     * older, newer          flush list                      flush list         flush-list latch
     * nextFree              shard                           shard              shard latch
     * loadTick              loader (X)                      touch              opaque: an estimate
     *
     * States: FREE -> LOADING (claimed, X) -> RESIDENT -> FREE (evicted, X); LOADING -> FREE when
     * the read fails. A frame in a stock or on its way to a claim is FREE and on no list.
     */
    static final int LATCH_OFFSET = 0;
    static final int PAGE_ID_OFFSET = LATCH_OFFSET + Long.BYTES;
    static final int RECOVERY_LSN_OFFSET = PAGE_ID_OFFSET + Long.BYTES;
    static final int RECOVERY_LSN_SINCE_COPY_OFFSET = RECOVERY_LSN_OFFSET + Long.BYTES;
    static final int STATE_OFFSET = RECOVERY_LSN_SINCE_COPY_OFFSET + Long.BYTES;
    static final int REFERENCE_OFFSET = STATE_OFFSET + Integer.BYTES;
    static final int WRITING_OFFSET = REFERENCE_OFFSET + Integer.BYTES;
    static final int LOAD_NUMBER_OFFSET = WRITING_OFFSET + Integer.BYTES;
    static final int OLDER_OFFSET = LOAD_NUMBER_OFFSET + Integer.BYTES;
    static final int NEWER_OFFSET = OLDER_OFFSET + Integer.BYTES;
    static final int NEXT_FREE_OFFSET = NEWER_OFFSET + Integer.BYTES;
    static final int LOAD_TICK_OFFSET = NEXT_FREE_OFFSET + Integer.BYTES;
    static final int LINE_BYTES = LOAD_TICK_OFFSET + Integer.BYTES;

    static final int LINE_SHIFT = 6;
    static final int FREE = 0;
    static final int LOADING = 1;
    static final int RESIDENT = 2;

    /** Not referenced since the clock hand passed. */
    static final int UNREFERENCED = 0;

    static final int REFERENCED = 1;

    /** Loaded by a scan; touches within the window after the load do not count. */
    static final int COLD = 2;

    /** No frame. */
    static final int NONE = -1;

    /** The table is one buffer, since a latch is named by its buffer. */
    static final int FRAMES_MAX = PoolMemory.CHUNK_BYTES_MAX >>> LINE_SHIFT;

    static {
        assert PAGE_ID_OFFSET == LATCH_OFFSET + BufferLatch.TAG_OFFSET : "the page id is the tag";
        assert LINE_BYTES == 1 << LINE_SHIFT : "a line is a cache line: lineBytes=" + LINE_BYTES;
    }

    private final PoolMemory memory;
    private final ByteBuffer table;
    private final int count;

    FrameTable(int count) {
        this.count = count;
        this.memory = PoolMemory.allocate((long) count << LINE_SHIFT, LINE_BYTES);
        this.table = memory.chunk(0);
        for (int frame = 0; frame < count; frame++) {
            int line = line(frame);
            PageMemory.putLong(table, line + PAGE_ID_OFFSET, PageId.NONE);
            PageMemory.putInt(table, line + OLDER_OFFSET, NONE);
            PageMemory.putInt(table, line + NEWER_OFFSET, NONE);
            PageMemory.putInt(table, line + NEXT_FREE_OFFSET, NONE);
        }
    }

    int count() {
        return count;
    }

    /** The buffer that latches are named by, with {@link #line} as their offset. */
    ByteBuffer table() {
        return table;
    }

    /** Where a frame's line begins, and its latch. */
    static int line(int frame) {
        return frame << LINE_SHIFT;
    }

    long pageId(int frame) {
        return PageMemory.getLongOpaque(table, line(frame) + PAGE_ID_OFFSET);
    }

    /** Who takes a page away tells those who wait for it: {@link BufferLatch#tagChanged}. */
    void pageId(int frame, long pageId) {
        PageMemory.putLongOpaque(table, line(frame) + PAGE_ID_OFFSET, pageId);
    }

    /** Acquire; pairs with {@link #stateRelease}. Who sees RESIDENT sees the page. */
    int stateAcquire(int frame) {
        return PageMemory.getIntAcquire(table, line(frame) + STATE_OFFSET);
    }

    void stateRelease(int frame, int state) {
        PageMemory.putIntRelease(table, line(frame) + STATE_OFFSET, state);
    }

    /** Acquire; pairs with {@link #recoveryLsnRelease}. Zero: the page is clean. */
    long recoveryLsnAcquire(int frame) {
        return PageMemory.getLongAcquire(table, line(frame) + RECOVERY_LSN_OFFSET);
    }

    void recoveryLsnRelease(int frame, long lsn) {
        PageMemory.putLongRelease(table, line(frame) + RECOVERY_LSN_OFFSET, lsn);
    }

    long recoveryLsnSinceCopyAcquire(int frame) {
        return PageMemory.getLongAcquire(table, line(frame) + RECOVERY_LSN_SINCE_COPY_OFFSET);
    }

    void recoveryLsnSinceCopyRelease(int frame, long lsn) {
        PageMemory.putLongRelease(table, line(frame) + RECOVERY_LSN_SINCE_COPY_OFFSET, lsn);
    }

    boolean isWriting(int frame) {
        return PageMemory.getIntVolatile(table, line(frame) + WRITING_OFFSET) != 0;
    }

    /** Makes the caller the one who writes the frame's page, unless somebody is. */
    boolean tryBeginWriting(int frame) {
        return PageMemory.compareAndSetInt(table, line(frame) + WRITING_OFFSET, 0, 1);
    }

    void endWriting(int frame) {
        PageMemory.putIntVolatile(table, line(frame) + WRITING_OFFSET, 0);
    }

    int reference(int frame) {
        return PageMemory.getIntOpaque(table, line(frame) + REFERENCE_OFFSET);
    }

    void reference(int frame, int reference) {
        PageMemory.putIntOpaque(table, line(frame) + REFERENCE_OFFSET, reference);
    }

    int loadNumber(int frame) {
        return PageMemory.getIntOpaque(table, line(frame) + LOAD_NUMBER_OFFSET);
    }

    void loadNumber(int frame, int number) {
        PageMemory.putIntOpaque(table, line(frame) + LOAD_NUMBER_OFFSET, number);
    }

    int loadTick(int frame) {
        return PageMemory.getIntOpaque(table, line(frame) + LOAD_TICK_OFFSET);
    }

    void loadTick(int frame, int tick) {
        PageMemory.putIntOpaque(table, line(frame) + LOAD_TICK_OFFSET, tick);
    }

    int older(int frame) {
        return PageMemory.getInt(table, line(frame) + OLDER_OFFSET);
    }

    void older(int frame, int other) {
        PageMemory.putInt(table, line(frame) + OLDER_OFFSET, other);
    }

    int newer(int frame) {
        return PageMemory.getInt(table, line(frame) + NEWER_OFFSET);
    }

    void newer(int frame, int other) {
        PageMemory.putInt(table, line(frame) + NEWER_OFFSET, other);
    }

    int nextFree(int frame) {
        return PageMemory.getInt(table, line(frame) + NEXT_FREE_OFFSET);
    }

    void nextFree(int frame, int other) {
        PageMemory.putInt(table, line(frame) + NEXT_FREE_OFFSET, other);
    }

    /** A frame's line as {@code name=value}, for messages. */
    String describe(int frame) {
        return "frame="
                + frame
                + ", "
                + PageId.describe(pageId(frame))
                + ", state="
                + stateAcquire(frame)
                + ", recoveryLsn="
                + recoveryLsnAcquire(frame)
                + ", writing="
                + isWriting(frame);
    }

    @Override
    public void close() {
        memory.close();
    }
}
