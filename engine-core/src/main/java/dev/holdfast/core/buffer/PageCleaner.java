// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.buffer.FlushAdvice.Situation;
import dev.holdfast.core.buffer.FlushAdvice.Urgency;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoUser;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps frames free and the log's age flat. The body of an agent that runs every 20 to 50 ms, and
 * when somebody finds too few free frames or no log space.
 */
public final class PageCleaner implements BackgroundAgent.Body {
    /*
     * Two demands, served in this order. Frames, as FlushWorker says. Log: as many of the oldest
     * dirty pages as the advice says.
     *
     * What is to be written for the log goes through the queue, from which a helper in another
     * thread takes batches too if there is more than one: while one batch waits for a sync, the
     * other is copied. Nobody waits for the helper: what it has begun is out of the flush lists. It
     * frees frames too.
     *
     * A batch costs three syncs, whether it has one page or 128. So the advice is saved up until it
     * makes a full batch, or all that is dirty; only an urgent round does not go by it: it takes
     * some full batches, oldest first, and looks again.
     *
     * What an idle engine cleans is taken from the budget of all background IO, and stays saved up
     * if that has nothing left. What the log's age calls for, which the budget's rate bounds until
     * it is urgent, and frames are written whatever is left, and owed to it, so that the others get
     * less. Were the log's part refused, pages written for frames alone could use up the budget,
     * and the age would grow until it is urgent, in a saw-tooth.
     *
     * A round is bounded: one batch for frames and one choice for the log. It asks for the next at
     * once only if it got something done and more is wanted, so nothing can make it spin. For the
     * same reason nobody looks for a checkpoint on a chance: that is asked for when a batch has
     * ended, and if the oldest change is then far enough above the last checkpoint, or the log is
     * nearly full.
     */
    private static final int BATCHES_MAX = 8;
    private static final int URGENT_BATCHES = 4;
    private static final int CHECKPOINT_PART = 64;
    private static final long ROUND_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    private static final double AVERAGED_SECONDS = 0.5;
    private static final double NANOS_PER_SECOND = 1e9;

    private final BufferPool pool;
    private final PageFlusher flusher;
    private final WriteAhead log;
    private final LongSupplier age;
    private final long ageLimitBytes;
    private final IoCapacity capacity;
    private final Counters counters;
    private final LongSupplier nanoTime;
    private final int[] candidates;
    private final FlushQueue queue;
    private final FlushWorker worker;
    private volatile Runnable progress = () -> {};
    private volatile Runnable helperWaker = () -> {};

    private long lastRoundNanos;
    private long lastAppendLsn;
    private double redoBytesPerSecond;

    /** Pages that were advised and not written yet. */
    private double saved;

    /**
     * A cleaner; it runs in one thread.
     *
     * @param age the log's age in bytes
     * @param ageLimitBytes the age at which writers begin to wait
     * @param capacity what background IO may ask of the device
     */
    public PageCleaner(
            BufferPool pool,
            PageFlusher flusher,
            WriteAhead log,
            LongSupplier age,
            long ageLimitBytes,
            IoCapacity capacity,
            Counters counters) {
        this(pool, flusher, log, age, ageLimitBytes, capacity, counters, System::nanoTime);
    }

    /** The same by another clock. */
    PageCleaner(
            BufferPool pool,
            PageFlusher flusher,
            WriteAhead log,
            LongSupplier age,
            long ageLimitBytes,
            IoCapacity capacity,
            Counters counters,
            LongSupplier nanoTime) {
        this.pool = pool;
        this.flusher = flusher;
        this.log = log;
        this.age = age;
        this.ageLimitBytes = ageLimitBytes;
        this.capacity = capacity;
        this.counters = counters;
        int framesMax = Math.min(pool.frameCount(), BATCHES_MAX * flusher.batchPages());
        this.candidates = new int[framesMax];
        this.queue = new FlushQueue(framesMax, flusher.batchPages());
        this.worker = newWorker();
        this.nanoTime = nanoTime;
        this.lastRoundNanos = nanoTime.getAsLong();
        this.lastAppendLsn = log.appendLsn();
    }

    /** Set once: what is run when a checkpoint would free log space that is worth it. */
    public void onProgress(Runnable runnable) {
        progress = runnable;
    }

    /** The body of an agent that works beside this one when there is much to write. */
    public BackgroundAgent.Body helper() {
        return newWorker();
    }

    /** Set once: what wakes the helper; done by who finds too few free frames as well. */
    public void helperWaker(Runnable waker) {
        helperWaker = waker;
        pool.supply().helperWaker(waker);
    }

    @Override
    public boolean run() {
        counters.increment(Counter.CLEANER_ROUNDS);
        long now = nanoTime.getAsLong();
        long elapsed = Math.min(ROUND_NANOS_MAX, now - lastRoundNanos);
        lastRoundNanos = now;
        pool.tick((int) TimeUnit.NANOSECONDS.toMillis(now));
        boolean framesMissing = worker.freeFrames();
        boolean urgent = relieveLog(elapsed / NANOS_PER_SECOND);
        return urgent || framesMissing;
    }

    /** Writes old pages as the advice says; returns whether it is urgent and something was done. */
    private boolean relieveLog(double seconds) {
        averageRedo(seconds);
        int dirty = pool.dirtyCount();
        CleanerOptions options = cleanerOptions();
        FlushAdvice advice =
                FlushAdvice.of(new Situation(age.getAsLong(), dirty, redoBytesPerSecond), options);
        boolean urgent = advice.urgency() == Urgency.URGENT;
        int batch = flusher.batchPages();
        saved = Math.min(candidates.length, saved + advice.pagesPerSecond() * seconds);
        int pages = urgent ? URGENT_BATCHES * batch : (int) saved;
        if (pages > batch) {
            pages -= pages % batch;
        }
        if (dirty == 0 || pages < Math.min(batch, dirty)) {
            if (urgent) {
                checkpointIfWorthIt();
            }
            return false;
        }
        int limit = Math.min(candidates.length, Math.min(pages, dirty));
        if (advice.urgency() != Urgency.CALM) {
            capacity.overdraw(IoUser.CLEANER, limit);
        } else if (!capacity.tryTake(IoUser.CLEANER, limit)) {
            counters.increment(Counter.CLEANER_BUDGET_WAITS);
            return false;
        }
        saved = Math.max(0, saved - pages);
        int count = pool.collectOldest(candidates, limit, Long.MAX_VALUE);
        queue.put(candidates, count, urgent);
        if (count > batch) {
            helperWaker.run();
        }
        int written = worker.writeQueued();
        return urgent && written > 0;
    }

    private FlushWorker newWorker() {
        return new FlushWorker(queue, flusher, pool, capacity, counters, this::checkpointIfWorthIt);
    }

    private CleanerOptions cleanerOptions() {
        return CleanerOptions.of(ageLimitBytes, Math.max(1, (int) capacity.rate()));
    }

    /** After a batch: whether the log could be cut, and by so much that it is worth a sync. */
    private void checkpointIfWorthIt() {
        long ageNow = age.getAsLong();
        long unwritten = log.appendLsn() - pool.oldestRecoveryLsn(log.closedLsn());
        long gain = ageNow - unwritten;
        long wanted = ageLimitBytes / CHECKPOINT_PART;
        boolean urgent = FlushAdvice.isUrgent(ageNow, cleanerOptions());
        if (gain >= wanted || (urgent && gain > 0)) {
            progress.run();
        }
    }

    private void averageRedo(double seconds) {
        long appendLsn = log.appendLsn();
        if (seconds > 0) {
            double rate = (appendLsn - lastAppendLsn) / seconds;
            redoBytesPerSecond +=
                    (rate - redoBytesPerSecond) * Math.min(1, seconds / AVERAGED_SECONDS);
        }
        lastAppendLsn = appendLsn;
    }
}
