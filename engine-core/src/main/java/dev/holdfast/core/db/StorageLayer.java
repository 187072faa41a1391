// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.EngineOptions;
import dev.holdfast.core.btree.OverflowFreer;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.Checkpointer;
import dev.holdfast.core.buffer.FrameToucher;
import dev.holdfast.core.buffer.PageCleaner;
import dev.holdfast.core.buffer.PageFlusher;
import dev.holdfast.core.buffer.PoolOptions;
import dev.holdfast.core.buffer.ReadAhead;
import dev.holdfast.core.catalog.IdHighWaters;
import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrContext;
import dev.holdfast.core.mtr.PageDigest;
import dev.holdfast.core.mtr.RedoWriteAhead;
import dev.holdfast.core.recovery.RecoveryReport;
import dev.holdfast.core.recovery.StoreRecovery;
import dev.holdfast.core.redo.CheckpointFile;
import dev.holdfast.core.redo.IdleMark;
import dev.holdfast.core.redo.LazyFlusher;
import dev.holdfast.core.redo.LogPosition;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoOptions;
import dev.holdfast.core.space.CondemnedPages;
import dev.holdfast.core.space.GrowthAgent;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.async.IoCapacity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Everything below tables and transactions: log, pool, doublewrite, spaces, and the agents that
 * clean, checkpoint, grow and flush. Made by the opening thread, recovered when made.
 */
final class StorageLayer {
    /*
     * P11a decides the order. The page cleaner runs while redo is applied, for it frees frames; it
     * is told that the log has no age, so that it writes nothing for the log's sake. Nothing is
     * appended and no checkpoint made before startCheckpoints.
     */
    private static final long CLEANER_MILLIS = 30;

    /** For the agents that follow what is written, when nothing is. */
    private static final long IDLE_MILLIS = 200;

    /** Woken by the cleaner as a rule. */
    private static final long FLUSHER_MILLIS = 1000;

    /** Woken by scans. */
    private static final long READ_AHEAD_MILLIS = 1000;

    private static final long CHECKPOINT_MILLIS = 1000;
    private static final long GROWTH_MILLIS = 1000;
    private static final long IDLE_MARK_MILLIS = 1000;
    private static final long CONDEMNED_MILLIS = 50;

    /** For an open that fails; a close has a limit of its own. */
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final OpenedStore store;
    private final EngineHealth health;
    private final Counters counters;
    private final RedoLog log;
    private final Doublewrite doublewrite;
    private final BufferPool pool;
    private final BackgroundIo io;
    private final PageCleaner cleaner;
    private final Checkpointer checkpointer;
    private final MtrContext context;
    private final Spaces spaces;
    private final IdHighWaters ids;
    private final long recoveredTransactionIdHighWater;
    private final RecoveryReport recovery;

    /** Null where it is turned off. */
    private final WaitWatch watch;

    /** Clean, checkpoint, flush: needed while anything is appended. */
    private final AgentGroup writers;

    /** Grow spaces and free pages, which appends. Stopped before the writers. */
    private final AgentGroup workers;

    /** Zero until recovery is over; read by the cleaner. */
    private volatile LongSupplier logAge = () -> 0;

    /** Set before the first checkpoint. */
    private volatile LongSupplier transactionIdHighWater;

    StorageLayer(OpenedStore store, EngineOptions options, EngineHealth health, CloseStack owned)
            throws IOException {
        this.store = store;
        this.health = health;
        this.counters = new Counters();
        this.writers = new AgentGroup(health);
        this.workers = new AgentGroup(health);
        StoreRecovery found = store.isNew() ? null : owned.push(beginRecovery(options));
        LogPosition start =
                found == null ? LogPosition.first(store.identity().uuid()) : found.position();
        this.log = owned.push(openLog(options, start));
        this.doublewrite = owned.push(openDoublewrite(options));
        RedoWriteAhead ahead = new RedoWriteAhead(log);
        this.pool = owned.push(newPool(options, ahead));
        this.io = BackgroundIo.start(store, options);
        owned.pushAgents(this::stopAll);
        this.watch = startWatch(options);
        PageFlusher flusher =
                new PageFlusher(
                        pool, store.files(), ahead, doublewrite, io.scheduler(), health, counters);
        this.checkpointer =
                new Checkpointer(
                        pool,
                        store.files(),
                        ahead,
                        flusher,
                        this::recordCheckpoint,
                        health,
                        counters);
        this.cleaner = newCleaner(flusher, ahead);
        startFlushers(options.doublewriteSlots());
        BackgroundAgent cleanerAgent = writers.start("cleaner", pace(CLEANER_MILLIS), cleaner);
        pool.cleanerWaker(cleanerAgent::wake);
        log.space().onPressure(cleanerAgent::wake);
        this.context = newContext(options);
        this.spaces = new Spaces(store.files(), pool, new OperationEpochs(), health, counters);
        if (found == null) {
            this.ids = new IdHighWaters(0, 0);
            this.recoveredTransactionIdHighWater = 1;
            this.recovery = null;
            createSpaces(options.undoSpaces());
        } else {
            this.ids = new IdHighWaters(found.treeIdHighWater(), found.spaceIdHighWater());
            this.recoveredTransactionIdHighWater = found.transactionIdHighWater();
            flusher.replaying(true);
            this.recovery = found.replay(pool, health);
            flusher.replaying(false);
            found.close();
            openSpaces();
        }
    }

    private PageCleaner newCleaner(PageFlusher flusher, RedoWriteAhead ahead) {
        return new PageCleaner(
                pool,
                flusher,
                ahead,
                () -> logAge.getAsLong(),
                log.space().ageLimit(),
                io.capacity(),
                counters);
    }

    private MtrContext newContext(EngineOptions options) {
        return new MtrContext(
                pool,
                log,
                health,
                counters,
                options.logSpaceTimeout().toNanos(),
                options.redoSelfCheck() ? PageDigest.BODY : null);
    }

    /**
     * Starts what helps the cleaner: a thread for each slot of the doublewrite but its own, for a
     * batch belongs to one thread from its copy to its sync; and one at least, which frees frames
     * while the cleaner writes.
     */
    private void startFlushers(int slots) {
        List<BackgroundAgent> helpers = new ArrayList<>();
        for (int i = 1; i < Math.max(slots, 2); i++) {
            String name = i == 1 ? "flusher" : "flusher-" + i;
            helpers.add(writers.start(name, FLUSHER_MILLIS, cleaner.helper()));
        }
        cleaner.helperWaker(() -> helpers.forEach(BackgroundAgent::wake));
    }

    /** The first agent to start and so the last to stop: a recovery and a close are watched too. */
    private WaitWatch startWatch(EngineOptions options) {
        if (options.waitWatchdog().isZero()) {
            return null;
        }
        WaitWatch started =
                new WaitWatch(options.waitWatchdog(), new WaitNames(pool.frameLatches()), counters);
        writers.start("watch", started.intervalMillis(), started);
        return started;
    }

    private StoreRecovery beginRecovery(EngineOptions options) throws IOException {
        return StoreRecovery.begin(
                store.directory(),
                store.files(),
                store.checkpoints(),
                RedoLayout.ofCapacity(options.redoCapacityBytes()));
    }

    private RedoLog openLog(EngineOptions options, LogPosition start) throws IOException {
        RedoLayout layout = store.checkpoints().newest().layout();
        int groupBytesMax = MiniTransaction.groupBytesMax(options.pageBytes());
        RedoOptions redo = new RedoOptions(layout, options.logBufferBytes(), groupBytesMax);
        return RedoLog.open(store.directory(), redo, health, counters, start);
    }

    private Doublewrite openDoublewrite(EngineOptions options) throws IOException {
        return Doublewrite.open(
                store.directory(),
                OpenedStore.doublewrite(options),
                store.identity().uuid(),
                counters);
    }

    private BufferPool newPool(EngineOptions options, RedoWriteAhead ahead) {
        PoolOptions poolOptions =
                new PoolOptions(
                        options.pageBytes(),
                        OpenedStore.frames(options),
                        options.poolShards(),
                        PoolOptions.COLD_WINDOW_MILLIS);
        return new BufferPool(poolOptions, store.files(), ahead, health, counters);
    }

    private void createSpaces(int undoSpaces) throws IOException {
        spaces.create(StoreFiles.MAIN_SPACE);
        for (int i = 0; i < undoSpaces; i++) {
            spaces.create(StoreFiles.UNDO_SPACE_MIN + i);
        }
    }

    private void openSpaces() throws IOException {
        for (int spaceId : store.files().spaceIds()) {
            if (spaceId < StoreFiles.OWN_SPACE_MIN) {
                spaces.open(spaceId);
            }
        }
    }

    /** The record of a checkpoint, with ids that are read after its LSN was chosen. */
    private void recordCheckpoint(long checkpointLsn) throws IOException {
        record(checkpointLsn, false);
        log.space().checkpointAdvanced(checkpointLsn);
    }

    private void record(long checkpointLsn, boolean cleanClose) throws IOException {
        long transactionId = transactionIdHighWater.getAsLong();
        long proofLsn = log.proofLsn();
        store.checkpoints()
                .update(
                        record ->
                                record.withHighWater(
                                                transactionId, ids.treeId() + 1, ids.spaceId() + 1)
                                        .withCheckpoint(
                                                checkpointLsn,
                                                Math.max(proofLsn, record.durableThrough()),
                                                cleanClose));
    }

    /** Starts the agents that let the log and the spaces be used; recovery is over. */
    void startAgents(EngineOptions options, LongSupplier transactionIds) {
        transactionIdHighWater = transactionIds;
        logAge = log.space()::age;
        BackgroundAgent checkpoints =
                writers.start(
                        "checkpoint",
                        CHECKPOINT_MILLIS,
                        () -> {
                            checkpointer.checkpoint(false);
                            return false;
                        });
        cleaner.onProgress(checkpoints::wake);
        BackgroundAgent growth =
                workers.start("growth", GROWTH_MILLIS, new GrowthAgent(spaces, newMtr()));
        CondemnedPages condemnedPages =
                new CondemnedPages(spaces, newMtr(), new OverflowFreer(pool, newMtr(), counters));
        BackgroundAgent condemned =
                workers.start("condemned", pace(CONDEMNED_MILLIS), condemnedPages);
        spaces.wakers(growth::wake, condemned::wake);
        writers.start("log-flusher", options.logFlushInterval().toMillis(), new LazyFlusher(log));
        FrameToucher toucher = new FrameToucher(pool, counters);
        if (toucher.isNeeded()) {
            workers.start("pretouch", toucher, toucher);
        }
        if (options.readAhead()) {
            startReadAhead();
        }
        writers.start("idle-mark", IDLE_MARK_MILLIS, new IdleMark(log, store.checkpoints()));
    }

    /** A worker, since it has to have ended before background IO is. */
    private void startReadAhead() {
        ReadAhead reader =
                new ReadAhead(pool, store.files(), io.scheduler(), io.capacity(), health, counters);
        reader.waker(workers.start("read-ahead", READ_AHEAD_MILLIS, reader)::wake);
        pool.readAhead(reader);
    }

    private AgentPace pace(long busyMillis) {
        return new AgentPace(log::appendLsn, busyMillis, IDLE_MILLIS);
    }

    /**
     * Leaves the files as a close shall; nobody changes anything any more.
     *
     * @param clean whether dirty pages are written
     */
    void finish(boolean clean) throws IOException {
        log.makeDurable(log.closedLsn());
        if (clean) {
            long checkpointLsn = checkpointer.checkpoint(true);
            if (checkpointLsn == log.closedLsn()) {
                record(checkpointLsn, true);
            }
        }
    }

    /**
     * Stops the agents that append.
     *
     * @return names of those that did not end in time
     */
    List<String> stopWorkers(long timeoutNanos) {
        return workers.stop(timeoutNanos);
    }

    /**
     * Stops all agents, and if all have ended the IO that they asked for.
     *
     * @return names of those that did not end in time
     */
    List<String> stopAgents(long timeoutNanos) {
        List<String> late = new ArrayList<>(workers.stop(timeoutNanos));
        late.addAll(writers.stop(timeoutNanos));
        if (late.isEmpty()) {
            late.addAll(io.stop(timeoutNanos));
        }
        return late;
    }

    /** For an open that fails. */
    private List<String> stopAll() {
        List<String> late = stopAgents(STOP_NANOS);
        if (!late.isEmpty()) {
            late.addAll(leaveIo());
        }
        return late;
    }

    /**
     * Gives up background IO after a thread did not end: what has not begun fails, what is at the
     * device is not waited for.
     *
     * @return a name for what is still at the device
     */
    List<String> leaveIo() {
        return io.stop(0);
    }

    MiniTransaction newMtr() {
        return new MiniTransaction(context);
    }

    /** What the open had to recover; {@code null} for a store that was created by it. */
    RecoveryReport recovery() {
        return recovery;
    }

    long recoveredTransactionIdHighWater() {
        return recoveredTransactionIdHighWater;
    }

    OpenedStore store() {
        return store;
    }

    EngineHealth health() {
        return health;
    }

    Counters counters() {
        return counters;
    }

    RedoLog log() {
        return log;
    }

    Doublewrite doublewrite() {
        return doublewrite;
    }

    BufferPool pool() {
        return pool;
    }

    Checkpointer checkpointer() {
        return checkpointer;
    }

    CheckpointFile checkpoints() {
        return store.checkpoints();
    }

    MtrContext context() {
        return context;
    }

    Spaces spaces() {
        return spaces;
    }

    IdHighWaters ids() {
        return ids;
    }

    /** The budget of all background IO. */
    IoCapacity ioCapacity() {
        return io.capacity();
    }

    void describeWatch(StringBuilder text) {
        if (watch == null) {
            text.append("watch=off\n");
        } else {
            watch.describe(text);
        }
    }

    void describeAgents(StringBuilder text) {
        writers.describe(text);
        workers.describe(text);
        io.describe(text);
    }
}
