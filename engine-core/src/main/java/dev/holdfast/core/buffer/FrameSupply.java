// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.sync.BufferLatch;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Where free frames come from: the shards' lists, the clock, and the wait for the cleaner. */
final class FrameSupply {
    /*
     * Second chance. A hand goes round the frames of a shard; a frame that was touched since the
     * last round loses its mark and stays, one that was not is the victim. A hit writes at most one
     * opaque int, and only when the mark is not set. Pages of scans enter without the mark and get
     * it only by a touch after the window: the midpoint rule of the lineage, without its list.
     *
     * A user thread looks at STEPS_MAX frames and evicts clean ones only; then it sleeps until the
     * cleaner has freed one. It never writes a page. The cleaner keeps a part of the frames free; it
     * is woken when half of them are gone, so that it is at work before they are all gone.
     *
     * A frame is evicted under its X latch: mapping away, page id away, then the unlatch raises the
     * version, so every optimistic reader of the old page fails its validation (P2).
     */
    static final int STEPS_MAX = 32;

    private static final int FREE_PART = 32;
    private static final int FREE_MIN = 8;
    private static final int FREE_MAX = 1024;

    static final String EVICTION_LATCHED = "buffer.eviction.latched";
    static final String EVICTION_UNMAPPED = "buffer.eviction.unmapped";

    private final FrameTable frames;
    private final Translation translation;
    private final Counters counters;
    private final PoolShard[] shards;
    private final int freeWanted;

    /** Frames whose pages are being written so that they can be evicted. */
    private final AtomicInteger beingFreed = new AtomicInteger();

    private final FrameTickets tickets;
    private final FreeFrameWait frameWait;
    private final FreeFrameWait promiseWait;

    /** Set once, before there are users. */
    private volatile Runnable cleanerWaker = () -> {};

    private volatile Runnable helperWaker = () -> {};

    FrameSupply(
            FrameTable frames,
            Translation translation,
            Counters counters,
            EngineHealth health,
            int shardCount) {
        this.frames = frames;
        this.translation = translation;
        this.counters = counters;
        this.tickets = new FrameTickets(frames.count());
        this.frameWait = new FreeFrameWait(health);
        this.promiseWait = new FreeFrameWait(health);
        this.freeWanted = Math.min(FREE_MAX, Math.max(FREE_MIN, frames.count() / FREE_PART));
        this.shards = new PoolShard[shardCount];
        for (int i = 0; i < shardCount; i++) {
            shards[i] = new PoolShard(frames, i, shardCount);
        }
    }

    void cleanerWaker(Runnable waker) {
        cleanerWaker = waker;
    }

    void helperWaker(Runnable waker) {
        helperWaker = waker;
    }

    PoolShard[] shards() {
        return shards;
    }

    /** How many frames the cleaner keeps free. */
    int freeWanted() {
        return freeWanted;
    }

    /**
     * How many frames should be freed now. Those that are about to be count for half of what is
     * wanted at most: when the other half is gone too, a second batch is worth it.
     */
    int missing() {
        int soon = Math.min(beingFreed.get(), freeWanted / 2);
        return freeWanted + waiting() - freeCount() - soon;
    }

    /** Notes that so many more frames are about to become free, or so many fewer. */
    void beingFreed(int count) {
        beingFreed.addAndGet(count);
    }

    int freeCount() {
        int free = 0;
        for (PoolShard shard : shards) {
            free += shard.freeCount();
        }
        return free;
    }

    /** Threads that sleep for a frame. */
    int waiting() {
        return frameWait.waiting();
    }

    /** The shard that keeps the frame on its lists. */
    PoolShard shardOf(int frame) {
        return shards[frame & shards.length - 1];
    }

    /**
     * Takes a free frame for the page, evicting a clean one or waiting for the cleaner.
     *
     * <p><b>Latches:</b> none may be held, for it may wait.
     */
    int take(long pageId) {
        int frame = tryTake(pageId);
        if (frame != FrameTable.NONE) {
            return frame;
        }
        counters.increment(Counter.FREE_FRAME_WAITS);
        return frameWait.await(() -> tryTake(pageId), this::wakeCleaner);
    }

    /** Gives back a frame that holds no page. */
    void giveBack(int frame) {
        assert frames.stateAcquire(frame) == FrameTable.FREE : frames.describe(frame);

        shardOf(frame).push(frame);
        frameWait.freedOne();
    }

    /** Fills the stock, waiting until all its frames are there. <b>Latches:</b> none held. */
    void fill(FrameStock stock, int count, boolean reserved) {
        int most = tickets.stockMax();
        Invariants.check(count <= most, "frames of a stock within the limit", count, most);
        if (!tickets.tryPromise(count, reserved)) {
            counters.increment(Counter.FREE_FRAME_WAITS);
            promiseWait.await(
                    () -> tickets.tryPromise(count, reserved) ? 0 : -1, this::wakeCleaner);
        }
        stock.prepare(count);
        boolean filled = false;
        try {
            for (int i = 0; i < count; i++) {
                stock.put(take(i));
            }
            filled = true;
        } finally {
            if (!filled) {
                close(stock);
            }
        }
    }

    void close(FrameStock stock) {
        for (int frame = stock.take(); frame != FrameTable.NONE; frame = stock.take()) {
            giveBack(frame);
        }
        tickets.giveBack(stock.promised());
        stock.closed();
        promiseWait.freedSome();
    }

    /**
     * Takes a frame for a page that nobody waits for: a free one while there are more than users
     * may want before the cleaner is back, else what the clock finds. Never waits, and lets those
     * who do go first.
     */
    int tryTakeSpare(long pageId) {
        if (waiting() > 0) {
            return FrameTable.NONE;
        }
        int home = hash(pageId) & shards.length - 1;
        int frame = freeCount() > freeWanted / 2 ? pop(home) : FrameTable.NONE;
        if (frame != FrameTable.NONE) {
            return frame;
        }
        wakeCleaner();
        return evictNext(home);
    }

    private int tryTake(long pageId) {
        int home = hash(pageId) & shards.length - 1;
        int frame = pop(home);
        if (frame != FrameTable.NONE) {
            if (freeCount() < freeWanted / 2) {
                wakeCleaner();
            }
            return frame;
        }
        wakeCleaner();
        return evictNext(home);
    }

    private int pop(int home) {
        int frame = FrameTable.NONE;
        for (int i = 0; i < shards.length && frame == FrameTable.NONE; i++) {
            frame = shards[home + i & shards.length - 1].pop();
        }
        return frame;
    }

    /** Takes the frame of the first clean page that the clock finds within its limit. */
    private int evictNext(int home) {
        int looked = 0;
        while (looked < STEPS_MAX) {
            int frame = shards[home].advanceHand();
            looked++;
            if (passesHand(frame) && tryEvict(frame)) {
                counters.add(Counter.EVICTION_STEPS, looked);
                return frame;
            }
        }
        counters.add(Counter.EVICTION_STEPS, looked);
        counters.increment(Counter.EVICTION_LIMIT_MET);
        return FrameTable.NONE;
    }

    /** The helper is only of use while the cleaner waits for its own batch. */
    private void wakeCleaner() {
        cleanerWaker.run();
        if (beingFreed.get() > 0) {
            helperWaker.run();
        }
    }

    /** The clock's look at a frame: false gives it its second chance. */
    boolean passesHand(int frame) {
        if (frames.stateAcquire(frame) != FrameTable.RESIDENT) {
            return false;
        }
        if (frames.reference(frame) == FrameTable.REFERENCED) {
            frames.reference(frame, FrameTable.UNREFERENCED);
            return false;
        }
        return true;
    }

    /**
     * Evicts the frame's page if that needs neither a write nor a wait; the frame is then free and
     * the caller's.
     */
    boolean tryEvict(int frame) {
        if (!isEvictable(frame)) {
            return false;
        }
        ByteBuffer table = frames.table();
        int line = FrameTable.line(frame);
        if (!BufferLatch.tryAcquireExclusive(table, line)) {
            return false;
        }
        TestHooks.reached(EVICTION_LATCHED);
        boolean evicts = frames.stateAcquire(frame) == FrameTable.RESIDENT && isEvictable(frame);
        if (evicts) {
            unmapLatched(frame);
            counters.increment(Counter.PAGES_EVICTED);
        }
        BufferLatch.releaseExclusive(table, line);
        return evicts;
    }

    /** Takes the page out of the frame. <b>Latches:</b> X of the frame held, before and after. */
    void unmapLatched(int frame) {
        long pageId = frames.pageId(frame);
        boolean unmapped = translation.unmap(pageId, frame);
        Invariants.check(unmapped, "a resident frame is mapped", pageId, frame);
        TestHooks.reached(EVICTION_UNMAPPED);
        frames.pageId(frame, PageId.NONE);
        frames.reference(frame, FrameTable.UNREFERENCED);
        frames.stateRelease(frame, FrameTable.FREE);
        BufferLatch.tagChanged(frames.table(), FrameTable.line(frame));
    }

    private boolean isEvictable(int frame) {
        if (TestHooks.fault(PlantedFault.EVICT_WHILE_WRITING) && frames.isWriting(frame)) {
            return true;
        }
        return frames.recoveryLsnAcquire(frame) == 0 && !frames.isWriting(frame);
    }

    private static int hash(long pageId) {
        return (int) ((pageId * 0x9E3779B97F4A7C15L) >>> Integer.SIZE);
    }
}
