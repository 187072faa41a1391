// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoUser;

/**
 * A thread's part in cleaning: frees frames, and writes what stands in the flush queue, a batch at
 * a time. The cleaner has one; each agent that helps it has one as its body.
 */
final class FlushWorker implements BackgroundAgent.Body {
    /*
     * Frames. Below the mark the clock goes on, over the shards in turn; what is clean is evicted,
     * what is dirty collected up to a batch, written, and evicted then, unless touched meanwhile.
     * While one worker's batch is being written another begins one only if users have taken half of
     * what is wanted: so they do not halve each other's batches when one is enough.
     *
     * If pages must be written then some more than are missing, for the syncs of a batch cost the
     * same; but not so many that a small pool would stand empty.
     */
    private static final int POOL_PART_MAX = 8;

    private final FlushQueue queue;
    private final FlushQueue.Share share;
    private final PageFlusher flusher;
    private final BufferPool pool;
    private final FrameSupply supply;
    private final IoCapacity capacity;
    private final Counters counters;
    private final Runnable batchEnded;
    private final int[] dirty;

    FlushWorker(
            FlushQueue queue,
            PageFlusher flusher,
            BufferPool pool,
            IoCapacity capacity,
            Counters counters,
            Runnable batchEnded) {
        this.queue = queue;
        this.share = queue.newShare();
        this.flusher = flusher;
        this.pool = pool;
        this.supply = pool.supply();
        this.capacity = capacity;
        this.counters = counters;
        this.batchEnded = batchEnded;
        this.dirty = new int[flusher.batchPages()];
    }

    /** The helper's round. */
    @Override
    public boolean run() {
        writeQueued();
        return freeFrames();
    }

    /** Writes until the queue is empty; returns how many pages. */
    int writeQueued() {
        int written = 0;
        while (queue.take(share)) {
            written += write(share.frames, share.count, share.waits);
        }
        return written;
    }

    /** Frees frames up to the mark, or a batch; returns whether it did and more are missing. */
    boolean freeFrames() {
        int missing = supply.missing();
        if (missing <= 0) {
            return false;
        }
        int writeMax = Math.max(2 * missing, pool.frameCount() / POOL_PART_MAX);
        int collected = 0;
        int freed = 0;
        int steps = 0;
        PoolShard[] shards = supply.shards();
        int stepsMax = 2 * pool.frameCount();
        int dirtyMax = Math.min(dirty.length, writeMax);
        while (steps < stepsMax && freed < missing && collected < dirtyMax) {
            int frame = shards[steps & shards.length - 1].advanceHand();
            steps++;
            if (!supply.passesHand(frame)) {
                continue;
            }
            if (supply.tryEvict(frame)) {
                supply.giveBack(frame);
                freed++;
            } else if (pool.isDirty(frame)) {
                dirty[collected] = frame;
                collected++;
            }
        }
        counters.add(Counter.EVICTION_STEPS, steps);
        if (freed < missing && collected > 0) {
            freed += writeAndEvict(collected);
        }
        return freed > 0 && supply.missing() > 0;
    }

    private int writeAndEvict(int count) {
        int freed = 0;
        supply.beingFreed(count);
        try {
            capacity.overdraw(IoUser.CLEANER, write(dirty, count, false));
            for (int i = 0; i < count; i++) {
                int frame = dirty[i];
                boolean untouched = pool.frames().reference(frame) != FrameTable.REFERENCED;
                if (untouched && supply.tryEvict(frame)) {
                    supply.giveBack(frame);
                    freed++;
                }
            }
        } finally {
            supply.beingFreed(-count);
        }
        return freed;
    }

    private int write(int[] frames, int count, boolean waits) {
        int written = flusher.write(frames, count, waits);
        if (written > 0) {
            batchEnded.run();
        }
        return written;
    }
}
