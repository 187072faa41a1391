// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.btree.OverflowFreer;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.Checkpointer;
import dev.holdfast.core.buffer.PageCleaner;
import dev.holdfast.core.buffer.PageFlusher;
import dev.holdfast.core.buffer.PoolOptions;
import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.dblwr.DoublewriteOptions;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrContext;
import dev.holdfast.core.mtr.PageDigest;
import dev.holdfast.core.mtr.RedoWriteAhead;
import dev.holdfast.core.recovery.StoreRecovery;
import dev.holdfast.core.redo.CheckpointFile;
import dev.holdfast.core.redo.CheckpointRecord;
import dev.holdfast.core.redo.LogPosition;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoOptions;
import dev.holdfast.core.space.CondemnedPages;
import dev.holdfast.core.space.GrowthAgent;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.space.StoreCreation;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoSchedulerOptions;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Files, log, pool, spaces and catalog with real recovery, and nothing of transactions. */
final class CrashStore implements AutoCloseable {
    static final int PAGE_BYTES = 4096;
    private static final int FRAMES = 64;
    private static final int BATCH_PAGES = 16;
    private static final DoublewriteOptions DOUBLEWRITE =
            new DoublewriteOptions(DoublewriteMode.ON, 2, BATCH_PAGES, PAGE_BYTES);
    private static final RedoLayout LAYOUT = RedoLayout.ofCapacity(1 << 20);
    private static final int RING_BYTES = 1 << 19;
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(20);

    final EngineHealth health = new EngineHealth();
    final Counters counters = new Counters();
    final SpaceFiles files;
    final RedoLog log;
    private final IoScheduler io =
            IoScheduler.start(IoSchedulerOptions.forCapacity(2_000), IoSites.IO_QUEUE, nanos -> {});
    final BufferPool pool;
    final Checkpointer checkpointer;
    final MtrContext context;
    final Spaces spaces;
    final Catalog catalog;
    final TableDrops drops;
    final CondemnedPages condemned;
    private final CheckpointFile checkpoints;
    private final Doublewrite doublewrite;
    private final IdHighWaters ids;
    private final List<BackgroundAgent> agents = new ArrayList<>();

    /** Opens the store of the directory, or creates it. */
    CrashStore(StorageDirectory directory) throws IOException {
        boolean isNew = StoreCreation.inspect(directory) != StoreCreation.State.BORN;
        StoreIdentity identity = isNew ? newIdentity(directory) : StoreIdentity.read(directory);
        UUID uuid = identity.uuid();
        files = new SpaceFiles(directory, identity, PageChecksums.CRC32C);
        StoreRecovery recovery = null;
        if (isNew) {
            checkpoints = createFiles(directory, identity);
        } else {
            checkpoints = CheckpointFile.open(directory, uuid);
            files.openAll();
            recovery = StoreRecovery.begin(directory, files, checkpoints, LAYOUT);
        }
        LogPosition start = isNew ? LogPosition.first(uuid) : recovery.position();
        int groupBytes = MiniTransaction.groupBytesMax(PAGE_BYTES);
        log =
                RedoLog.open(
                        directory,
                        new RedoOptions(LAYOUT, RING_BYTES, groupBytes),
                        health,
                        counters,
                        start);
        doublewrite = Doublewrite.open(directory, DOUBLEWRITE, uuid, counters);
        RedoWriteAhead ahead = new RedoWriteAhead(log);
        pool = new BufferPool(PoolOptions.of(PAGE_BYTES, FRAMES), files, ahead, health, counters);
        PageFlusher flusher =
                new PageFlusher(pool, files, ahead, doublewrite, io, health, counters);
        checkpointer =
                new Checkpointer(pool, files, ahead, flusher, this::record, health, counters);
        IoCapacity capacity = new IoCapacity(100_000, System::nanoTime);
        long ageLimit = log.space().ageLimit();
        PageCleaner cleaner =
                new PageCleaner(pool, flusher, ahead, () -> 0, ageLimit, capacity, counters);
        pool.cleanerWaker(start("cleaner", cleaner)::wake);
        context = new MtrContext(pool, log, health, counters, STOP_NANOS, PageDigest.BODY);
        spaces = new Spaces(files, pool, new OperationEpochs(), health, counters);
        ids =
                isNew
                        ? new IdHighWaters(0, 0)
                        : new IdHighWaters(recovery.treeIdHighWater(), recovery.spaceIdHighWater());
        if (isNew) {
            spaces.create(StoreFiles.MAIN_SPACE);
            spaces.create(2);
            spaces.create(3);
            Catalog.create(spaces, context);
            checkpointer.checkpoint(true);
            StoreCreation.finish(directory);
        } else {
            recovery.replay(pool, health);
            recovery.close();
            spaces.open(StoreFiles.MAIN_SPACE);
        }
        spaces.wakers(start("growth", new GrowthAgent(spaces, newMtr()))::wake, () -> {});
        catalog = new Catalog(spaces, context, ids, new Silent(), STOP_NANOS);
        catalog.load();
        drops = new TableDrops(catalog, table -> false);
        condemned =
                new CondemnedPages(spaces, newMtr(), new OverflowFreer(pool, newMtr(), counters));
    }

    private static StoreIdentity newIdentity(StorageDirectory directory) throws IOException {
        if (StoreCreation.inspect(directory) == StoreCreation.State.UNBORN) {
            StoreCreation.clean(directory);
        }
        return StoreIdentity.create(new UUID(5, 6), PAGE_BYTES);
    }

    MiniTransaction newMtr() {
        return new MiniTransaction(context);
    }

    private BackgroundAgent start(String name, BackgroundAgent.Body body) {
        long interval = TimeUnit.MILLISECONDS.toNanos(20);
        BackgroundAgent agent = new BackgroundAgent("test-" + name, health, interval, body);
        agents.add(agent);
        agent.start();
        return agent;
    }

    private static CheckpointFile createFiles(StorageDirectory directory, StoreIdentity identity)
            throws IOException {
        StoreCreation.begin(directory, identity);
        RedoLog.create(directory, identity.uuid(), LAYOUT);
        Doublewrite.create(directory, DOUBLEWRITE);
        CheckpointRecord first =
                CheckpointRecord.first(
                        1,
                        IdHighWaters.USER_TREE_MIN,
                        StoreFiles.OWN_SPACE_MIN,
                        PAGE_BYTES,
                        LAYOUT);
        return CheckpointFile.create(directory, identity.uuid(), first);
    }

    private void record(long checkpointLsn) throws IOException {
        long proofLsn = log.proofLsn();
        checkpoints.update(
                record ->
                        record.withHighWater(1, ids.treeId() + 1, ids.spaceId() + 1)
                                .withCheckpoint(
                                        checkpointLsn,
                                        Math.max(proofLsn, record.durableThrough()),
                                        false));
        log.space().checkpointAdvanced(checkpointLsn);
    }

    /** Closes the files as a killed process would: nothing is flushed. */
    @Override
    public void close() throws IOException {
        for (BackgroundAgent agent : agents) {
            agent.stop(STOP_NANOS);
        }
        io.close();
        doublewrite.close();
        log.close();
        files.close();
        checkpoints.close();
        pool.close();
        health.check();
    }

    /** Nobody listens. */
    private static final class Silent implements CatalogListener {
        @Override
        public void created(TableDescriptor table) {}

        @Override
        public void renamed(TableDescriptor table) {}

        @Override
        public void dropping(TableDescriptor table) {}

        @Override
        public void removed(TableDescriptor table) {}
    }
}
