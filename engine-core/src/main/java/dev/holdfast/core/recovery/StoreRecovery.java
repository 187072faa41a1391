// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.CorruptionException;
import dev.holdfast.Limits;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.redo.CheckpointFile;
import dev.holdfast.core.redo.CheckpointRecord;
import dev.holdfast.core.redo.LogPosition;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoScanner;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a store's files to where the log ends. {@link #begin} does all that comes before a pool
 * and a log can be opened; {@link #replay} then applies the log to the pool.
 *
 * <p>For one thread. Any step may be cut short by a crash: the next open begins again.
 */
public final class StoreRecovery implements AutoCloseable {
    /*
     * P11a. What a killed process wrote may be in the system's page cache only, so nothing that is
     * read here counts as durable until it was synced here. The order:
     *
     *   0  (core.db) sync the names in the directories
     *   1  sync the doublewrite files; repair torn pages from them; sync every data file
     *   2  read the log: its end, what need not be replayed, ids; judge the pages that should have
     *      been repaired and could not; sync every segment
     *   3  the new epoch, durable in the checkpoint file; the log is opened behind its end
     *   4  read the log again, apply it to pages in the pool
     *   5  (core.db) only now checkpoints; the first one syncs all data files
     *
     * Pages may be written and doublewrite slots reused from 3 on: all that 1 and 2 needed is
     * durable. Between 3 and 5 nothing is appended and no checkpoint is made, so a crash anywhere
     * leads to the same start. A page that is written while 4 runs holds some prefix of its changes,
     * with the LSN of the last; its copy in the doublewrite is as good as any other.
     *
     * After a clean close the log holds nothing that is needed. So it may then be cut into other
     * files, and is made anew if files of it are gone: the old ones are removed, then the checkpoint
     * file says that the log begins, empty, in a new epoch behind all that the old ones held, then
     * the new ones are made. Until that is done the store stays cleanly closed, and any file that is
     * missing or unsound leads here again.
     */
    static final String LOG_REMOVED = "recovery.logRemoved";
    public static final String REPAIRED = "recovery.repaired";
    public static final String SCANNED = "recovery.scanned";
    public static final String EPOCH_BEGUN = "recovery.epochBegun";
    public static final String REPLAYED = "recovery.replayed";

    private static final Logger LOG = LoggerFactory.getLogger(StoreRecovery.class);
    private static final long BYTES_PER_THREAD = 4L << 20;
    private static final int THREADS_MAX = 4;

    private final StorageDirectory directory;
    private final SpaceFiles files;
    private final CheckpointFile checkpoints;
    private final RedoPlan plan = new RedoPlan();
    private final long beganNanos = System.nanoTime();
    private CheckpointRecord checkpoint;
    private DoublewriteRepair.Result repair;
    private RedoScanner scanner;
    private RedoScanner.Result scan;
    private LogPosition position;
    private int pagesDamaged;

    private StoreRecovery(
            StorageDirectory directory, SpaceFiles files, CheckpointFile checkpoints) {
        this.directory = directory;
        this.files = files;
        this.checkpoints = checkpoints;
        this.checkpoint = checkpoints.newest();
    }

    /**
     * Does steps 1 to 3 over data files that are open and not judged yet.
     *
     * @param layout how the log is to be cut, where that can be chosen
     * @throws CorruptionException if something that was durable is missing or damaged
     * @throws dev.holdfast.FormatException if a file is of another store, version or page size
     */
    public static StoreRecovery begin(
            StorageDirectory directory,
            SpaceFiles files,
            CheckpointFile checkpoints,
            RedoLayout layout)
            throws IOException {
        StoreRecovery recovery = new StoreRecovery(directory, files, checkpoints);
        boolean begun = false;
        try {
            recovery.repair();
            recovery.openLog(layout);
            recovery.scan();
            recovery.beginEpoch();
            begun = true;
            return recovery;
        } finally {
            if (!begun) {
                recovery.close();
            }
        }
    }

    private void repair() throws IOException {
        repair = new DoublewriteRepair(directory, files, checkpoint.checkpointLsn()).run();
        files.syncAll();
        checkHeaders();
        TestHooks.reached(REPAIRED);
    }

    /**
     * Judges the headers of all spaces. One of a table's own space may be unsound, if its creation
     * did not end; if it did, the catalog names the space and judges again.
     */
    private void checkHeaders() throws IOException {
        files.checkHeader(StoreFiles.MAIN_SPACE);
        int[] ids = files.spaceIds();
        int undoSpaces = Math.max(files.undoSpaces(), files.store().undoSpaces());
        for (int i = 0; i < Math.max(undoSpaces, Limits.UNDO_SPACES_MIN); i++) {
            files.checkHeader(StoreFiles.UNDO_SPACE_MIN + i);
        }
        for (int spaceId : ids) {
            if (spaceId >= StoreFiles.OWN_SPACE_MIN) {
                checkOwnHeader(spaceId);
            }
        }
    }

    private void checkOwnHeader(int spaceId) throws IOException {
        try {
            files.checkHeader(spaceId);
        } catch (CorruptionException unlessItsCreationDidNotEnd) {
            LOG.info(
                    "space header is not sound: file={}, found={}",
                    files.fileName(spaceId),
                    unlessItsCreationDidNotEnd.found());
        }
    }

    /** Opens the log's files; after a clean close they may be replaced. */
    private void openLog(RedoLayout wanted) throws IOException {
        UUID store = files.store().uuid();
        if (!checkpoint.cleanClose()) {
            scanner = new RedoScanner(directory, store, checkpoint);
            return;
        }
        if (!checkpoint.layout().equals(wanted)) {
            LOG.info("log is cut anew: from={}, to={}", checkpoint.layout(), wanted);
            remakeLog(wanted);
        }
        try {
            scanner = new RedoScanner(directory, store, checkpoint);
        } catch (CorruptionException damaged) {
            LOG.warn(
                    "redo log is made anew, a clean close needs none: store={}, found={}",
                    directory.describe(),
                    damaged.getMessage());
            remakeLog(wanted);
            scanner = new RedoScanner(directory, store, checkpoint);
        }
    }

    private void remakeLog(RedoLayout layout) throws IOException {
        for (String name : directory.list(StoreFiles.REDO_DIRECTORY)) {
            directory.delete(name);
        }
        directory.syncDirectory(StoreFiles.REDO_DIRECTORY);
        TestHooks.reached(LOG_REMOVED);
        UUID store = files.store().uuid();
        long end = Math.max(checkpoint.checkpointLsn(), checkpoint.durableThrough());
        int epoch = checkpoints.nextEpoch(checkpoint.epoch());
        LogPosition behind = new LogPosition(store, end, epoch, end);
        checkpoint =
                checkpoints.update(
                        record ->
                                record.withEpoch(behind)
                                        .withCheckpoint(behind.startLsn(), end, true)
                                        .withLayout(layout));
        RedoLog.create(directory, store, layout);
    }

    private void scan() throws IOException {
        scan = scanner.scan(plan);
        scan.requireThrough(repair.newestLsn(), repair.newestFile());
        judgeDoubts();
        scanner.syncScanned();
        position =
                new LogPosition(
                        files.store().uuid(),
                        scan.recoveredEndLsn(),
                        checkpoints.nextEpoch(scan.epoch()),
                        checkpoint.checkpointLsn());
        TestHooks.reached(SCANNED);
    }

    /**
     * Names the damaged pages for which there is no copy. One that any reader would find damaged is
     * left to the replay or to who reads it; one that looks sound must not be used at all.
     *
     * @throws CorruptionException if there is one that looks sound
     */
    private void judgeDoubts() {
        CorruptionException first = null;
        for (DoubtfulPage doubt : repair.doubts()) {
            if (plan.needsNothingOf(doubt.pageId())) {
                continue;
            }
            pagesDamaged++;
            LOG.warn("page has no copy to repair it from: {}", doubt.fault().getMessage());
            if (doubt.looksSound() && first == null) {
                first = doubt.fault();
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void beginEpoch() throws IOException {
        checkpoints.update(record -> record.withEpoch(position));
        TestHooks.reached(EPOCH_BEGUN);
    }

    /** Where the log is to be opened. */
    public LogPosition position() {
        return position;
    }

    /** No transaction id at or above it was ever given out. */
    public long transactionIdHighWater() {
        return Math.max(checkpoint.transactionIdHighWater(), plan.transactionIdHighWater());
    }

    /** The highest tree id ever given out; the checkpoint has the first one that was not. */
    public int treeIdHighWater() {
        return max(checkpoint.treeIdHighWater() - 1, plan.treeIdHighWater());
    }

    /** The highest space id ever given out. */
    public int spaceIdHighWater() {
        return max(checkpoint.spaceIdHighWater() - 1, plan.spaceIdHighWater());
    }

    private static int max(int left, int right) {
        return Integer.compareUnsigned(left, right) >= 0 ? left : right;
    }

    /**
     * Applies the log to pages in the pool, whose cleaner runs.
     *
     * <p><b>Latches:</b> none held.
     *
     * @throws CorruptionException if a page or a record is not what the log says
     */
    public RecoveryReport replay(BufferPool pool, EngineHealth health) throws IOException {
        int processors = Runtime.getRuntime().availableProcessors();
        long wanted = 1 + plan.bytes() / BYTES_PER_THREAD;
        int threads = (int) Math.min(wanted, Math.min(processors, THREADS_MAX));
        return replay(pool, health, threads);
    }

    RecoveryReport replay(BufferPool pool, EngineHealth health, int threads) throws IOException {
        long applied = 0;
        long skipped = 0;
        if (scan.groups() > 0) {
            try (RedoReplay replay = new RedoReplay(plan, files, pool, health, threads)) {
                RedoScanner.Result again = scanner.scan(replay);
                replay.finish();
                assert again.equals(scan) : "scan=" + scan + ", again=" + again;
                applied = replay.applied();
                skipped = replay.skipped();
            }
        }
        TestHooks.reached(REPLAYED);
        return new RecoveryReport(
                checkpoint.cleanClose() && scan.groups() == 0,
                checkpoint.checkpointLsn(),
                scan.recoveredEndLsn(),
                position.epoch(),
                scan.groups(),
                plan.records(),
                applied,
                skipped,
                repair.copies(),
                repair.repaired().size(),
                pagesDamaged,
                System.nanoTime() - beganNanos);
    }

    /** Closes the log's files; a second call does nothing. */
    @Override
    public void close() throws IOException {
        if (scanner != null) {
            scanner.close();
            scanner = null;
        }
    }
}
