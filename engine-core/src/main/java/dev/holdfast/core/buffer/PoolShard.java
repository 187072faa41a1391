// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.Latch;
import java.util.concurrent.atomic.AtomicInteger;

/** A part of the pool: the frames whose number is this shard's, modulo the number of shards. */
final class PoolShard {
    private final FrameTable frames;
    private final int number;
    private final int stride;
    private final int frameCount;
    private final Latch latch = new Latch(CoreSites.POOL_SHARD);
    private final FlushList flushList;

    /** Moves on by one for each frame looked at; anyone moves it. */
    private final AtomicInteger hand = new AtomicInteger();

    /** Top of the stack that is linked through the lines; guarded by the latch. */
    private int firstFree = FrameTable.NONE;

    /** Written under the latch; read by anyone. */
    private final AtomicInteger freeCount = new AtomicInteger();

    PoolShard(FrameTable frames, int number, int shards) {
        this.frames = frames;
        this.number = number;
        this.stride = shards;
        this.frameCount = (frames.count() - number + shards - 1) / shards;
        this.flushList = new FlushList(frames);
        for (int i = frameCount - 1; i >= 0; i--) {
            push(number + i * stride);
        }
    }

    int freeCount() {
        return freeCount.get();
    }

    FlushList flushList() {
        return flushList;
    }

    /** Takes a free frame, or returns {@link FrameTable#NONE}. */
    int pop() {
        if (freeCount.get() == 0) {
            return FrameTable.NONE;
        }
        latch.acquireExclusive();
        int frame = firstFree;
        if (frame != FrameTable.NONE) {
            firstFree = frames.nextFree(frame);
            frames.nextFree(frame, FrameTable.NONE);
            freeCount.decrementAndGet();
        }
        latch.releaseExclusive();
        return frame;
    }

    /** Puts back a frame that holds no page and is on no list. */
    void push(int frame) {
        latch.acquireExclusive();
        frames.nextFree(frame, firstFree);
        firstFree = frame;
        freeCount.incrementAndGet();
        latch.releaseExclusive();
    }

    /** The next frame under the clock's hand. */
    int advanceHand() {
        int step = hand.getAndIncrement();
        return number + Integer.remainderUnsigned(step, frameCount) * stride;
    }
}
