// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.CloseMode;
import dev.holdfast.EngineOptions;
import dev.holdfast.StorageException;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.EngineHealth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes an engine, once, from any thread and in any state (P20). */
final class EngineClose {
    /*
     * In this order:
     *   refuse new calls; wake who sleeps for a row
     *   end each view between two of its calls, and wait for calls that run, up to the time-out;
     *     commits that wait for the log are served by it as always
     *   if some are left the engine fails, which wakes whatever they sleep in; a grace after that
     *   stop the agents that append, the highest layer first; if one does not come back in time
     *     the engine fails, as above
     *   flush the log; write dirty pages if the close is to be clean
     *   stop the rest, close files and memory, and the lock last
     *
     * Flushing is done by a thread of its own, so that a device that does not answer cannot hold
     * the caller for good. It is waited for as long as it gets on: a large pool takes its time.
     *
     * If a thread does not come back, what it may touch stays as it is: its memory, and the lock,
     * since a write that is still on its way must not meet a second engine. Background IO that has
     * not begun is then told that it will not be done.
     */
    private static final Logger LOG = LoggerFactory.getLogger(EngineClose.class);
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long STALL_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_MILLIS = 20;

    private final EngineOptions options;
    private final StorageLayer storage;
    private final TransactionLayer transactions;
    private final EngineHealth health;
    private final CallGate gate;
    private final CloseStack owned;

    /** How long a thread of the engine may do nothing before it is taken for stuck. */
    private final long stallNanos;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private boolean done;

    EngineClose(
            EngineOptions options,
            StorageLayer storage,
            TransactionLayer transactions,
            CallGate gate,
            CloseStack owned) {
        this.options = options;
        this.storage = storage;
        this.transactions = transactions;
        this.health = storage.health();
        this.gate = gate;
        this.owned = owned;
        this.stallNanos = Math.max(STALL_NANOS_MIN, options.closeTimeout().toNanos());
    }

    /** Closes, or waits for who does. */
    void run() {
        lock.lock();
        try {
            if (!done) {
                done = true;
                close();
            }
        } finally {
            lock.unlock();
        }
    }

    private void close() {
        long began = System.nanoTime();
        List<String> late = new ArrayList<>();
        boolean failedBefore = health.failed();
        gate.close();
        transactions.transactions().refuse();
        drain(late);
        late.addAll(stop(transactions::stopAgents));
        late.addAll(stop(storage::stopWorkers));
        if (late.isEmpty() && !health.failed()) {
            finish(late);
        }
        if (late.isEmpty()) {
            late.addAll(stop(storage::stopAgents));
        }
        if (!late.isEmpty()) {
            late.addAll(storage.leaveIo());
            owned.abandon();
            LOG.error(
                    "close did not end: store={}, waitsFor={}",
                    storage.store().name(),
                    late,
                    health.cause());
            throw new StorageException(
                    "close did not end: store=" + storage.store().name() + ", waitsFor=" + late,
                    health.cause());
        }
        Throwable failure = owned.closeAll();
        LOG.info(
                "engine is closed: store={}, failed={}, millis={}",
                storage.store().name(),
                health.failed(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        if (!failedBefore) {
            // What was committed lazily may be lost: the caller hears of it.
            health.check();
        }
        if (failure != null) {
            throw OpenErrors.of(storage.store().name(), failure);
        }
    }

    private void drain(List<String> late) {
        if (endCalls(options.closeTimeout().toNanos())) {
            return;
        }
        health.fail(new StorageException("close did not wait longer for running calls", null));
        if (!endCalls(GRACE_NANOS)) {
            late.add("calls");
        }
    }

    private boolean endCalls(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        boolean viewsEnded = endViews(timeoutNanos);
        return gate.drain(Math.max(0, deadline - System.nanoTime())) && viewsEnded;
    }

    /**
     * Ends the views, in a thread of its own: to take back what was not committed pages are read,
     * and the device may not answer. It has a health of its own, for it works in an engine that has
     * failed too.
     */
    private boolean endViews(long timeoutNanos) {
        EngineHealth ofTheThread = new EngineHealth();
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean all = new AtomicBoolean();
        BackgroundAgent ender =
                new BackgroundAgent(
                        "close-views",
                        ofTheThread,
                        stallNanos,
                        () -> {
                            if (ended.getCount() > 0) {
                                try {
                                    all.set(transactions.transactions().endAll(timeoutNanos));
                                } finally {
                                    ended.countDown();
                                }
                            }
                            return false;
                        });
        ender.start();
        await(ended, timeoutNanos + GRACE_NANOS);
        // Once it is done it ends at once, and only then has said whether it failed.
        ender.stop(ended.getCount() == 0 ? GRACE_NANOS : 0);
        if (ofTheThread.failed()) {
            health.fail(ofTheThread.cause());
        }
        return all.get();
    }

    private static void await(CountDownLatch ended, long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        boolean interrupted = false;
        boolean waits = true;
        while (waits) {
            try {
                waits = !ended.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                waits &= deadline - System.nanoTime() > 0;
            } catch (InterruptedException keptForTheCaller) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops agents. One that waits for what does not come, as room on a full disk, wakes when the
     * engine fails.
     */
    private List<String> stop(LongFunction<List<String>> agents) {
        List<String> late = agents.apply(stallNanos);
        if (late.isEmpty()) {
            return late;
        }
        health.fail(
                new StorageException(
                        "close did not wait longer for work in the background: waitsFor=" + late,
                        health.outOfRoom()));
        return agents.apply(GRACE_NANOS);
    }

    private void finish(List<String> late) {
        boolean clean = options.closeMode() == CloseMode.CLEAN;
        CountDownLatch ended = new CountDownLatch(1);
        BackgroundAgent finisher =
                new BackgroundAgent(
                        "close",
                        health,
                        stallNanos,
                        () -> {
                            if (ended.getCount() > 0) {
                                try {
                                    storage.finish(clean);
                                } finally {
                                    ended.countDown();
                                }
                            }
                            return false;
                        });
        finisher.start();
        if (!awaitProgress(ended)) {
            health.fail(new StorageException("close does not get on", health.outOfRoom()));
        }
        if (!finisher.stop(GRACE_NANOS)) {
            late.add("close");
        }
    }

    /** Waits until it has ended, the engine failed, or no page was written for too long. */
    private boolean awaitProgress(CountDownLatch ended) {
        boolean interrupted = false;
        long seen = -1;
        long seenAt = System.nanoTime();
        try {
            while (!health.failed() && System.nanoTime() - seenAt < stallNanos) {
                long progress = progress();
                if (progress != seen) {
                    seen = progress;
                    seenAt = System.nanoTime();
                }
                try {
                    if (ended.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                        return true;
                    }
                } catch (InterruptedException keptForTheCaller) {
                    interrupted = true;
                }
            }
            return health.failed();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private long progress() {
        return storage.counters().sum(Counter.PAGES_WRITTEN)
                + storage.counters().sum(Counter.LOG_BLOCKS_WRITTEN)
                + storage.counters().sum(Counter.DATA_FILE_SYNCS)
                + storage.counters().sum(Counter.DOUBLEWRITE_BATCHES);
    }
}
