// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoReader;
import dev.holdfast.core.redo.RedoScanner;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The second reading of the log: passes the records that the plan wants to those who apply them.
 */
final class RedoReplay implements RedoScanner.GroupVisitor, AutoCloseable {
    /*
     * Pages are dealt out to partitions by their id, each with one applier, so the records of a page
     * stay in order and no two appliers want the same latch. Records name one page each (P12), so no
     * order between pages matters.
     *
     * With one partition the reader's thread applies. With more, each has an agent; batches go
     * round: from the free ones to the reader, to a partition's queue, and back. Their number bounds
     * the memory. An agent that fails makes the engine fail, which the reader sees while it waits
     * for a free batch.
     */
    private static final int BATCHES_EACH = 3;
    private static final long WAIT_MILLIS = 20;
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final Logger LOG = LoggerFactory.getLogger(RedoReplay.class);

    private final RedoPlan plan;
    private final SpaceFiles files;
    private final EngineHealth health;
    private final RedoReader reader = new RedoReader();
    private final Partition[] partitions;
    private final int batchCount;
    private final BlockingQueue<RedoBatch> free;
    private final List<BackgroundAgent> agents = new ArrayList<>();

    RedoReplay(RedoPlan plan, SpaceFiles files, BufferPool pool, EngineHealth health, int threads) {
        this.plan = plan;
        this.files = files;
        this.health = health;
        this.partitions = new Partition[threads];
        this.batchCount = threads == 1 ? 1 : threads * BATCHES_EACH;
        this.free = new ArrayBlockingQueue<>(batchCount);
        for (int i = 0; i < batchCount; i++) {
            free.add(new RedoBatch());
        }
        for (int i = 0; i < threads; i++) {
            partitions[i] = new Partition(new RedoApplier(pool, health));
            if (threads > 1) {
                agents.add(new BackgroundAgent("redo-" + i, health, IDLE_NANOS, partitions[i]));
                partitions[i].agent = agents.get(i);
            }
        }
        agents.forEach(BackgroundAgent::start);
    }

    @Override
    public void group(long startLsn, long endLsn, byte[] payload, int offset, int length) {
        reader.reset(startLsn, payload, offset, length);
        while (reader.next()) {
            int type = reader.type();
            long pageId = reader.pageId();
            if (RedoType.namesPage(type)
                    && type != RedoType.PAGE_FREE
                    && plan.applies(pageId, startLsn)
                    && isThere(pageId)) {
                Partition partition = partitions[partitionOf(pageId)];
                if (partition.filling == null) {
                    partition.filling = takeFree();
                }
                partition.filling.add(
                        startLsn,
                        endLsn,
                        type,
                        pageId,
                        reader.bytes(),
                        reader.bodyOffset(),
                        reader.bodyLength());
            }
        }
        for (Partition partition : partitions) {
            if (partition.filling != null) {
                partition.filling.endGroup();
                if (partition.filling.isFull()) {
                    pass(partition);
                }
            }
        }
    }

    /**
     * Whether there is a place for the page. A file that is gone belonged to a space that was
     * dropped; was it not, the catalog, redone, will name it as missing (P19).
     */
    private boolean isThere(long pageId) {
        return files.present(PageId.spaceId(pageId));
    }

    private int partitionOf(long pageId) {
        long hash = pageId * 0x9E37_79B9_7F4A_7C15L;
        return (int) ((hash >>> Integer.SIZE) % partitions.length);
    }

    /** Applies all that is left and returns when it is applied. */
    void finish() {
        for (Partition partition : partitions) {
            if (partition.filling != null) {
                pass(partition);
            }
        }
        List<RedoBatch> back = new ArrayList<>();
        while (back.size() < batchCount) {
            back.add(takeFree());
        }
        health.check();
    }

    long applied() {
        long sum = 0;
        for (Partition partition : partitions) {
            sum += partition.applier.applied();
        }
        return sum;
    }

    long skipped() {
        long sum = 0;
        for (Partition partition : partitions) {
            sum += partition.applier.skipped();
        }
        return sum;
    }

    private void pass(Partition partition) {
        RedoBatch batch = partition.filling;
        partition.filling = null;
        batch.flip();
        if (partition.agent == null) {
            partition.apply(batch);
        } else {
            partition.queue.add(batch);
            partition.agent.wake();
        }
    }

    private RedoBatch takeFree() {
        boolean interrupted = false;
        try {
            while (true) {
                health.check();
                try {
                    RedoBatch batch = free.poll(WAIT_MILLIS, TimeUnit.MILLISECONDS);
                    if (batch != null) {
                        return batch;
                    }
                } catch (InterruptedException keptForTheCaller) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Ends the agents. Without a limit: the caller frees the memory that they work in. None waits
     * for anything but pages and frames, which a failure of the engine ends.
     */
    @Override
    public void close() {
        boolean running = false;
        for (BackgroundAgent agent : agents) {
            running |= !agent.stop(0);
        }
        if (running) {
            CurrentWait wait = CurrentWait.begin(CoreSites.REDO_APPLIERS, agents.size());
            try {
                agents.forEach(RedoReplay::join);
            } finally {
                wait.end();
            }
        }
    }

    private static void join(BackgroundAgent agent) {
        while (!agent.stop(WARN_NANOS)) {
            LOG.warn(
                    "applier of redo does not end: waitedSeconds={}",
                    TimeUnit.NANOSECONDS.toSeconds(WARN_NANOS));
        }
    }

    /** The pages of one applier. */
    private final class Partition implements BackgroundAgent.Body {
        private final RedoApplier applier;
        private final Queue<RedoBatch> queue = new ConcurrentLinkedQueue<>();
        private BackgroundAgent agent;
        private RedoBatch filling;

        Partition(RedoApplier applier) {
            this.applier = applier;
        }

        @Override
        public boolean run() {
            RedoBatch batch = queue.poll();
            if (batch == null) {
                return false;
            }
            apply(batch);
            return true;
        }

        private void apply(RedoBatch batch) {
            try {
                applier.apply(batch);
            } catch (Throwable failure) {
                // An agent tries again when memory is short, but this batch would not come back.
                health.fail(failure);
                throw failure;
            }
            batch.clear();
            boolean added = free.offer(batch);
            assert added : "a batch came back twice";
        }
    }
}
