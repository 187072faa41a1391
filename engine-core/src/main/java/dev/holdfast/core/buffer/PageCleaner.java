// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.buffer.FlushAdvice.Situation;
import dev.holdfast.core.buffer.FlushAdvice.Urgency;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps frames free and the log's age flat. The body of an agent that runs every 20 to 50 ms, and
 * when somebody finds no free frame or no log space.
 */
public final class PageCleaner implements BackgroundAgent.Body {
    /*
     * Two demands, served in this order. Frames: below the low-water mark of free frames the clock
     * goes on, evicts what is clean and collects what is dirty; the dirty ones are written in one
     * batch and evicted then, unless touched meanwhile. Log: as many of the oldest dirty pages as
     * the advice says.
     *
     * A round is bounded: one sweep of the clock and one advice. It asks for the next at once only
     * if it got something done and somebody still waits, so nothing can make it spin.
     */
    private static final int FREE_PART = 32;
    private static final int FREE_MIN = 8;
    private static final int FREE_MAX = 1024;
    private static final long ROUND_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_PER_SECOND = 1e9;

    private final BufferPool pool;
    private final FrameSupply supply;
    private final PageFlusher flusher;
    private final WriteAhead log;
    private final LongSupplier age;
    private final CleanerOptions options;
    private final Counters counters;
    private final int freeWanted;
    private final int[] candidates;
    private volatile Runnable progress = () -> {};

    private long lastRoundNanos;
    private long lastAppendLsn;
    private double redoBytesPerSecond;

    /**
     * A cleaner; it runs in one thread.
     *
     * @param age the log's age in bytes
     */
    public PageCleaner(
            BufferPool pool,
            PageFlusher flusher,
            WriteAhead log,
            LongSupplier age,
            CleanerOptions options,
            Counters counters) {
        this.pool = pool;
        this.supply = pool.supply();
        this.flusher = flusher;
        this.log = log;
        this.age = age;
        this.options = options;
        this.counters = counters;
        this.freeWanted = Math.min(FREE_MAX, Math.max(FREE_MIN, pool.frameCount() / FREE_PART));
        this.candidates = new int[pool.frameCount()];
        this.lastRoundNanos = System.nanoTime();
        this.lastAppendLsn = log.appendLsn();
    }

    /** Set once: what is run when pages were written for the log's sake, to try a checkpoint. */
    public void onProgress(Runnable runnable) {
        progress = runnable;
    }

    @Override
    public boolean run() {
        counters.increment(Counter.CLEANER_ROUNDS);
        long now = System.nanoTime();
        long elapsed = Math.min(ROUND_NANOS_MAX, now - lastRoundNanos);
        lastRoundNanos = now;
        pool.tick((int) TimeUnit.NANOSECONDS.toMillis(now));
        int freed = freeFrames();
        boolean urgent = relieveLog(elapsed);
        return urgent || (freed > 0 && supply.waiting() > 0);
    }

    /** Frees frames up to the mark; returns how many. */
    private int freeFrames() {
        int wanted = freeWanted + supply.waiting();
        int missing = wanted - supply.freeCount();
        if (missing <= 0) {
            return 0;
        }
        int freed = 0;
        int dirty = 0;
        int dirtyMax = Math.min(candidates.length, 2 * missing);
        int steps = 0;
        for (PoolShard shard : supply.shards()) {
            int stepsMax = 2 * shard.frameCount();
            for (int i = 0; i < stepsMax && freed < missing && dirty < dirtyMax; i++) {
                int frame = shard.advanceHand();
                steps++;
                if (!supply.passesHand(frame)) {
                    continue;
                }
                if (supply.tryEvict(frame)) {
                    supply.giveBack(frame);
                    freed++;
                } else if (pool.isDirty(frame)) {
                    candidates[dirty] = frame;
                    dirty++;
                }
            }
        }
        counters.add(Counter.EVICTION_STEPS, steps);
        if (freed < missing && dirty > 0) {
            flusher.write(candidates, dirty, false);
            freed += evictWritten(dirty);
        }
        return freed;
    }

    private int evictWritten(int count) {
        int freed = 0;
        for (int i = 0; i < count; i++) {
            int frame = candidates[i];
            if (pool.frames().reference(frame) != FrameTable.REFERENCED && supply.tryEvict(frame)) {
                supply.giveBack(frame);
                freed++;
            }
        }
        return freed;
    }

    /** Writes old pages as the advice says; returns whether it is urgent and something was done. */
    private boolean relieveLog(long elapsedNanos) {
        averageRedo(elapsedNanos);
        Situation now =
                new Situation(age.getAsLong(), pool.dirtyCount(), redoBytesPerSecond, elapsedNanos);
        FlushAdvice advice = FlushAdvice.of(now, options);
        boolean urgent = advice.urgency() == Urgency.URGENT;
        if (advice.pages() == 0) {
            if (urgent) {
                progress.run();
            }
            return false;
        }
        int count = pool.collectOldest(candidates, advice.pages(), Long.MAX_VALUE);
        int written = flusher.write(candidates, count, urgent);
        if (urgent) {
            progress.run();
        }
        return urgent && written > 0;
    }

    private void averageRedo(long elapsedNanos) {
        long appendLsn = log.appendLsn();
        if (elapsedNanos > 0) {
            double seconds = elapsedNanos / NANOS_PER_SECOND;
            double rate = (appendLsn - lastAppendLsn) / seconds;
            redoBytesPerSecond += (rate - redoBytesPerSecond) * Math.min(1, seconds);
        }
        lastAppendLsn = appendLsn;
    }
}
