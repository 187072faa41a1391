// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.BackgroundAgent;

/**
 * Writes what stands in the flush queue, a batch at a time, and frees the frames if that is what
 * they were chosen for. The cleaner has one; another is the body of the agent that helps it.
 */
final class FlushWorker implements BackgroundAgent.Body {
    private final FlushQueue queue;
    private final FlushQueue.Share share;
    private final PageFlusher flusher;
    private final BufferPool pool;
    private final Runnable batchEnded;

    /** Frames evicted in the last {@link #work}. */
    private int freed;

    FlushWorker(FlushQueue queue, PageFlusher flusher, BufferPool pool, Runnable batchEnded) {
        this.queue = queue;
        this.share = queue.newShare();
        this.flusher = flusher;
        this.pool = pool;
        this.batchEnded = batchEnded;
    }

    /** Works until the queue is empty; returns how many pages it wrote. */
    int work() {
        int written = 0;
        freed = 0;
        while (queue.take(share)) {
            int pages = flusher.write(share.frames, share.count, share.waits);
            written += pages;
            if (share.evicts) {
                evict();
            }
            if (pages > 0) {
                batchEnded.run();
            }
        }
        return written;
    }

    int freed() {
        return freed;
    }

    /** The helper's round: it is woken when there is more than one batch to write. */
    @Override
    public boolean run() {
        work();
        return false;
    }

    private void evict() {
        FrameSupply supply = pool.supply();
        for (int i = 0; i < share.count; i++) {
            int frame = share.frames[i];
            if (pool.frames().reference(frame) != FrameTable.REFERENCED && supply.tryEvict(frame)) {
                supply.giveBack(frame);
                freed++;
            }
        }
    }
}
