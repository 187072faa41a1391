// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.CheckpointSink;
import dev.holdfast.core.buffer.Checkpointer;
import dev.holdfast.core.buffer.PageCleaner;
import dev.holdfast.core.buffer.PageFlusher;
import dev.holdfast.core.buffer.PageStore;
import dev.holdfast.core.buffer.PoolOptions;
import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.dblwr.DoublewriteOptions;
import dev.holdfast.core.redo.LogPosition;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoOptions;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoSchedulerOptions;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Pool, log, cleaner and mini-transactions in memory, for tests of what stands on them.
 *
 * <p>The log is the real one, on a {@link MemoryDirectory}; the pages go to the given store, by
 * default a {@link MemoryPageStore}. The cleaner and the checkpoint run by themselves, so a test
 * may change as much as it likes; {@link #close} fails if the engine has failed.
 */
public final class MtrFixture implements AutoCloseable {
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int LOG_BYTES = 8 << 20;
    private static final int RING_BYTES = 4 << 20;

    public final int pageBytes;
    public final EngineHealth health = new EngineHealth();
    public final Counters counters = new Counters();
    public final StorageDirectory directory;
    public final PageStore store;
    public final RedoLog log;
    public final IoScheduler io =
            IoScheduler.start(IoSchedulerOptions.forCapacity(6_000), IoSites.IO_QUEUE, nanos -> {});
    public final BufferPool pool;
    public final Doublewrite doublewrite;
    public final PageFlusher flusher;
    public final PageCleaner cleaner;
    public final Checkpointer checkpointer;
    public final MtrContext context;
    private final BackgroundAgent cleanerAgent;
    private final BackgroundAgent helperAgent;
    private final BackgroundAgent checkpointAgent;

    /** A small pool over a store in memory, in self-check mode. */
    public MtrFixture(int pageBytes, int frames) {
        this(pageBytes, frames, new MemoryPageStore(pageBytes));
    }

    /** A small pool over a store of the test's own. */
    public MtrFixture(int pageBytes, int frames, PageStore store) {
        this(pageBytes, frames, store, MemoryDirectory.create());
    }

    /** The same with log and doublewrite in a directory of the test's own, which is empty. */
    public MtrFixture(int pageBytes, int frames, PageStore store, StorageDirectory directory) {
        this.pageBytes = pageBytes;
        this.store = store;
        this.directory = directory;
        RedoLayout layout = RedoLayout.ofCapacity(LOG_BYTES);
        UUID id = new UUID(1, 2);
        int batchPages = Math.min(128, frames / 4);
        try {
            directory.createDirectory(RedoLayout.DIRECTORY);
            RedoLog.create(directory, id, layout);
            log =
                    RedoLog.open(
                            directory,
                            new RedoOptions(
                                    layout, RING_BYTES, MiniTransaction.groupBytesMax(pageBytes)),
                            health,
                            counters,
                            LogPosition.first(id));
            var options = new DoublewriteOptions(DoublewriteMode.ON, 2, batchPages, pageBytes);
            Doublewrite.create(directory, options);
            doublewrite = Doublewrite.open(directory, options, id, counters);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        RedoWriteAhead ahead = new RedoWriteAhead(log);
        pool = new BufferPool(PoolOptions.of(pageBytes, frames), store, ahead, health, counters);
        flusher = new PageFlusher(pool, store, ahead, doublewrite, io, health, counters);
        CheckpointSink sink = lsn -> log.space().checkpointAdvanced(lsn);
        checkpointer = new Checkpointer(pool, store, ahead, flusher, sink, health, counters);
        IoCapacity capacity = new IoCapacity(100_000, System::nanoTime);
        long ageLimit = log.space().ageLimit();
        cleaner =
                new PageCleaner(
                        pool, flusher, ahead, log.space()::age, ageLimit, capacity, counters);
        cleanerAgent =
                new BackgroundAgent(
                        "test-cleaner", health, TimeUnit.MILLISECONDS.toNanos(20), cleaner);
        checkpointAgent =
                new BackgroundAgent(
                        "test-checkpoint",
                        health,
                        TimeUnit.MILLISECONDS.toNanos(50),
                        () -> {
                            checkpointer.checkpoint(false);
                            return false;
                        });
        log.space().onPressure(cleanerAgent::wake);
        cleaner.onProgress(checkpointAgent::wake);
        helperAgent =
                new BackgroundAgent(
                        "test-flusher", health, TimeUnit.SECONDS.toNanos(10), cleaner.helper());
        cleaner.helperWaker(helperAgent::wake);
        pool.cleanerWaker(cleanerAgent::wake);
        context =
                new MtrContext(
                        pool, log, health, counters, TimeUnit.SECONDS.toNanos(20), PageDigest.BODY);
        helperAgent.start();
        cleanerAgent.start();
        checkpointAgent.start();
    }

    /** A mini-transaction for the calling thread. */
    public MiniTransaction mtr() {
        return new MiniTransaction(context);
    }

    /** Stops the background threads, for tests that want to make each step themselves. */
    public void stopAgents() {
        checkpointAgent.stop(STOP_NANOS);
        cleanerAgent.stop(STOP_NANOS);
        helperAgent.stop(STOP_NANOS);
    }

    @Override
    public void close() {
        stopAgents();
        try {
            io.close();
            doublewrite.close();
            log.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        pool.close();
        if (health.failed()) {
            throw new AssertionError("the engine has failed", health.cause());
        }
    }
}
