// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.BufferLatch;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Touches the memory of frames that nobody has used yet, so that no user thread pays for its first
 * touch. Once through the pool, a little each round; for one agent.
 */
public final class FrameToucher implements BackgroundAgent.Body, LongSupplier {
    /*
     * Memory that the source did not write while it obtained it is made by the system on the first
     * write, for tens of microseconds per 4 KiB on a virtual machine. A read would not do: it maps
     * a page of zeros that all share.
     *
     * A frame that is FREE belongs to whoever holds it exclusively: its bytes are anything, and who
     * comes by with a stale frame number finds the latch held or its version moved on (P2). So it is
     * latched, if that needs no wait, and a byte of each piece is written. A frame that holds a page
     * was written by the read of it, and one that is being claimed will be.
     *
     * Free frames are given out in ascending order from the start of the pool, and it goes the same
     * way without waiting for reads, so it is ahead of its users. It holds one latch at a time for as
     * long as one page takes, and rests for most of the time.
     */
    /** What a pool has at least before this is worth a thread. */
    public static final long POOL_BYTES_MIN = 64L << 20;

    private static final int PIECE_BYTES = 4096;
    private static final int ROUND_BYTES = 256 << 10;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final BufferPool pool;
    private final Counters counters;
    private int nextFrame;

    public FrameToucher(BufferPool pool, Counters counters) {
        this.pool = pool;
        this.counters = counters;
    }

    /** Whether the pool is large and its memory has not been written by who obtained it. */
    public boolean isNeeded() {
        long bytes = (long) pool.frameCount() * pool.pageBytes();
        return bytes >= POOL_BYTES_MIN && !pool.isTouched();
    }

    /** Touches the next few frames. */
    @Override
    public boolean run() {
        int frames = Math.max(1, ROUND_BYTES / pool.pageBytes());
        int touched = 0;
        while (touched < frames && !isDone()) {
            touched += touch(nextFrame) ? 1 : 0;
            nextFrame++;
        }
        counters.add(Counter.FRAMES_TOUCHED, touched);
        return false;
    }

    private boolean isDone() {
        return nextFrame >= pool.frameCount();
    }

    private boolean touch(int frame) {
        FrameTable frames = pool.frames();
        int line = FrameTable.line(frame);
        if (frames.stateAcquire(frame) != FrameTable.FREE
                || !BufferLatch.tryAcquireExclusive(frames.table(), line)) {
            return false;
        }
        boolean isFree = frames.stateAcquire(frame) == FrameTable.FREE;
        if (isFree) {
            ByteBuffer chunk = pool.chunk(frame);
            int page = pool.offset(frame);
            for (int piece = 0; piece < pool.pageBytes(); piece += PIECE_BYTES) {
                PageMemory.putByte(chunk, page + piece, (byte) 0);
            }
        }
        BufferLatch.releaseExclusive(frames.table(), line);
        return isFree;
    }

    /** How long the agent rests after a round; for ever once it has been through the pool. */
    @Override
    public long getAsLong() {
        return isDone() ? Long.MAX_VALUE : PAUSE_NANOS;
    }
}
