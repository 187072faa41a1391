// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.Durability;
import dev.holdfast.EngineOptions;
import dev.holdfast.Isolation;
import dev.holdfast.Limits;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.btree.OverflowStore;
import dev.holdfast.core.btree.SettledVersions;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrContext;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.undo.UndoLog;
import dev.holdfast.core.undo.UndoSegment;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The transactions of an engine: begins, commits, rolls back, and ends them all at its close. */
public final class TransactionSystem {
    /** Sync point: the header's page is latched, readers see that a number is on its way. */
    static final String COMMITTING = "txn.committing";

    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long PARK_NANOS = 50_000;

    private final TransactionEnvironment environment;
    private final EngineOptions options;
    private final BufferPool pool;
    private final RedoLog log;
    private final EngineHealth health;
    private final Counters counters;
    private final UndoSystem undo;
    private final TransactionTable table;
    private final SnapshotRegistry registry;
    private final TransactionIds ids;
    private final WriterPlaces places;
    private final RowLocks locks;
    private final OpenViews views;
    private final SettledVersions settled = this::isSettled;

    /** Set once, before there are transactions. */
    private LoserRollback losers;

    /**
     * Makes it for an engine whose undo spaces are recovered.
     *
     * @param transactionIdHighWater no id at or above it was ever given out
     */
    public TransactionSystem(
            TransactionEnvironment environment,
            EngineOptions options,
            long transactionIdHighWater) {
        this.environment = environment;
        this.options = options;
        MtrContext context = environment.mtrContext();
        this.pool = context.pool();
        this.log = context.log();
        this.health = context.health();
        this.counters = context.counters();
        this.undo = environment.undo();
        this.table = new TransactionTable(environment.tableCapacity());
        this.registry = new SnapshotRegistry(log::appendLsn);
        this.ids = new TransactionIds(context, transactionIdHighWater);
        this.places =
                new WriterPlaces(
                        undo, table, ids, registry, environment.storeName(), health, counters);
        this.locks = new RowLocks(environment.storeName(), table, health, counters);
        Admission admission =
                new Admission(
                        options.maxConcurrentTransactions(),
                        options.admissionTimeout().toNanos(),
                        environment.storeName(),
                        health);
        this.views = new OpenViews(this, registry, admission, health);
    }

    /** Opens a view of now. */
    public Snapshot snapshot() {
        return views.open(Isolation.SNAPSHOT, view -> new SnapshotHandle(this, view));
    }

    /** Begins a transaction, once it is let in. */
    public Transaction begin(TransactionOptions wanted) {
        Durability durability = wanted.durability().orElse(options.durability());
        Duration lockWait = wanted.lockWaitTimeout().orElse(options.lockWaitTimeout());
        return views.openAdmitted(
                wanted.isolation().orElse(options.isolation()),
                view -> new TransactionHandle(this, view, durability, lockWait.toNanos()));
    }

    void viewEnded(View view) {
        views.ended(view);
    }

    /** Gives a transaction an undo segment, an id and a place in the table. */
    LockOwner beginWriting(UndoLog undoLog, MiniTransaction mtr, long timeoutNanos) {
        return places.take(undoLog, mtr, timeoutNanos);
    }

    /**
     * Commits what the log holds.
     *
     * <p>P4: the header's page is latched and log space granted, then COMMITTING is stored, then
     * the group is appended and its end stored as the state; nothing but the ring waits in between.
     *
     * @return the commit number, 0 if there was nothing to commit
     */
    long commit(UndoLog undoLog, MiniTransaction mtr, LockOwner owner) {
        if (!undoLog.isBegun()) {
            return 0;
        }
        if (!undoLog.isWritten()) {
            ended(undoLog, owner, 0);
            return 0;
        }
        long id = owner.transactionId();
        long lsn;
        boolean committing = false;
        mtr.begin(UndoLog.commitRedoBytes(), 0, true);
        try {
            undoLog.fixHeader(mtr);
            committing = true;
            table.committing(id);
            TestHooks.reached(COMMITTING);
            undoLog.markCommitted(mtr);
            lsn = mtr.commit();
        } catch (Throwable t) {
            if (committing) {
                // Readers wait for a number that will not come.
                health.fail(t);
            }
            throw mtr.failed(t);
        }
        ended(undoLog, owner, lsn);
        mtr.tally().increment(Counter.COMMITS);
        return lsn;
    }

    /**
     * Takes everything back.
     *
     * @throws CorruptionException if a page is damaged that is needed for it
     * @throws dev.holdfast.DiskFullException if it needs more room than was kept for it; in both
     *     cases the caller {@linkplain #leave leaves} the rest
     */
    void rollback(UndoLog undoLog, Workspace workspace, LockOwner owner) {
        if (undoLog.isBegun()) {
            new Rollback(this, workspace).all(undoLog);
            rolledBack(undoLog, owner);
        }
    }

    /**
     * Takes everything back, if there is time enough. If not, the rest is left as a crash would
     * leave it: the transaction is a loser of the next open.
     */
    void rollbackUntil(UndoLog undoLog, Workspace workspace, LockOwner owner, long deadline) {
        try {
            if (undoLog.isBegun() && new Rollback(this, workspace).until(undoLog, deadline)) {
                rolledBack(undoLog, owner);
            }
        } catch (CorruptionException | DiskFullException hindrance) {
            if (health.failed()) {
                throw hindrance;
            }
            counters.increment(Counter.ROLLBACKS_LEFT);
        }
    }

    /**
     * Leaves the rest of a transaction that has ended for its user to the agent that takes back
     * what crashes left. Its rows stay its own until that has succeeded, if need be after the next
     * open.
     */
    void leave(UndoLog undoLog, LockOwner owner, RuntimeException hindrance) {
        counters.increment(Counter.ROLLBACKS_LEFT);
        if (hindrance instanceof CorruptionException damage) {
            health.damaged(damage, "rollback of a running transaction");
        } else {
            losers.refusedRoom(hindrance);
        }
        losers.adopt(undoLog, owner);
    }

    /** Says who takes over what {@link #leave} leaves; set once, before there are transactions. */
    void losers(LoserRollback agent) {
        losers = agent;
    }

    private void rolledBack(UndoLog undoLog, LockOwner owner) {
        ended(undoLog, owner, 0);
        counters.increment(Counter.ROLLBACKS);
    }

    /** A transaction of before a crash has been taken back. */
    void loserEnded(UndoLog undoLog, LockOwner owner) {
        ended(undoLog, owner, 0);
    }

    /** The final state of a transaction is stored first, then who waits for it is looked for. */
    private void ended(UndoLog undoLog, LockOwner owner, long commitLsn) {
        if (commitLsn == 0) {
            table.remove(owner.transactionId());
        } else {
            table.committed(owner.transactionId(), commitLsn);
        }
        locks.ownerEnded(owner);
        UndoSegment segment = undoLog.end();
        if (commitLsn != 0) {
            undo.history().announce(segment);
        }
        undo.giveBack(segment);
        places.cellFreed();
    }

    /** Waits until a commit is as durable as asked for. */
    void makeAsDurable(long lsn, Durability durability) {
        switch (durability) {
            case SYNC -> log.makeDurable(lsn);
            case WRITE -> log.makeWritten(lsn);
            case LAZY -> {
                // The log's agent flushes it within the flush interval.
            }
        }
    }

    /**
     * Waits until a transaction that was seen COMMITTING has its number.
     *
     * <p><b>Latches:</b> none held, and no epoch entered: it may be the ring that the writer waits
     * for.
     */
    @SuppressWarnings("ThreadPriorityCheck") // the writer is as a rule a few instructions away
    void awaitCommitted(long id) {
        for (int i = 0; i < SPINS; i++) {
            if (table.lookup(id) != TransactionTable.COMMITTING) {
                return;
            }
            Thread.onSpinWait();
        }
        CurrentWait wait = CurrentWait.begin(CoreSites.COMMITTING_READER, id);
        try {
            for (int i = 0; table.lookup(id) == TransactionTable.COMMITTING; i++) {
                health.check();
                if (i < YIELDS) {
                    Thread.yield();
                } else {
                    LockSupport.parkNanos(this, PARK_NANOS);
                    if (Thread.interrupted()) {
                        awaitCommitted(id);
                        Thread.currentThread().interrupt();
                        return;
                    }
                }
            }
        } finally {
            wait.end();
        }
    }

    private boolean isSettled(long id) {
        long state = table.lookup(id);
        return state == TransactionTable.ABSENT
                || (state > TransactionTable.COMMITTING && state <= registry.horizon());
    }

    /** Knows which versions every snapshot sees. */
    SettledVersions settled() {
        return settled;
    }

    /** Reads a value from its overflow chain; the caller is inside an epoch (P6). */
    byte[] readOverflow(TableHandle handle, byte[] pointer) {
        int length = lengthOf(handle, pointer);
        byte[] whole = new byte[length];
        environment
                .overflow()
                .read(
                        handle.tree().spaceId(),
                        handle.tree().treeId(),
                        OverflowPointer.headPage(pointer, 0),
                        length,
                        0,
                        whole,
                        0,
                        length);
        return whole;
    }

    /** The same into a buffer that has room, at its position, which stays. */
    void readOverflow(TableHandle handle, byte[] pointer, ByteBuffer target) {
        environment
                .overflow()
                .read(
                        handle.tree().spaceId(),
                        handle.tree().treeId(),
                        OverflowPointer.headPage(pointer, 0),
                        lengthOf(handle, pointer),
                        target,
                        target.position());
    }

    /** The length that a pointer claims, which must not be believed before memory is got for it. */
    int lengthOf(TableHandle handle, byte[] pointer) {
        int length = OverflowPointer.totalLength(pointer, 0);
        if (length < 0 || length > Limits.VALUE_BYTES_MAX) {
            throw new CorruptionException(
                    "overflow pointer is none that was written",
                    "table=" + handle.name(),
                    Integer.toUnsignedLong(handle.tree().spaceId()),
                    Integer.toUnsignedLong(OverflowPointer.headPage(pointer, 0)),
                    "a length up to " + Limits.VALUE_BYTES_MAX,
                    Integer.toUnsignedString(length));
        }
        return length;
    }

    /** See {@link OpenViews#haveWritten}. */
    public boolean hasWriters(TableHandle handle) {
        return views.haveWritten(handle);
    }

    /** First step of close: nothing begins any more, and who waits for that or a row is told. */
    public void refuse() {
        views.refuse();
        places.close();
        locks.close();
    }

    /** Second step of close: see {@link OpenViews#endAll}. */
    public boolean endAll(long timeoutNanos) {
        return views.endAll(timeoutNanos);
    }

    /** Views in use: snapshots and transactions. Racy. */
    public int viewsInUse() {
        return views.inUse();
    }

    /** What is committed up to here every snapshot sees. */
    public long horizon() {
        return registry.horizon();
    }

    /** Segments with committed logs that purge has not come to. Racy. */
    public int historyWaiting() {
        return undo.history().waiting();
    }

    /** Transactions that wait to be let in. Racy. */
    public int admissionsWaiting() {
        return views.waiting();
    }

    /** Transactions that wait to be among the writers. Racy. */
    public int writersWaiting() {
        return places.waiting();
    }

    /** Keys that somebody waits for. Racy. */
    public int lockQueues() {
        return locks.entries();
    }

    /** For the checkpoint: no transaction id at or above it was given out. */
    public long transactionIdHighWater() {
        return ids.highWater();
    }

    String storeName() {
        return environment.storeName();
    }

    Object engine() {
        return environment.engine();
    }

    TableSource tables() {
        return environment.tables();
    }

    OverflowStore overflow() {
        return environment.overflow();
    }

    OperationEpochs epochs() {
        return environment.epochs();
    }

    MtrContext mtrContext() {
        return environment.mtrContext();
    }

    BufferPool pool() {
        return pool;
    }

    RedoLog log() {
        return log;
    }

    EngineHealth health() {
        return health;
    }

    Counters counters() {
        return counters;
    }

    UndoSystem undo() {
        return undo;
    }

    TransactionTable table() {
        return table;
    }

    SnapshotRegistry registry() {
        return registry;
    }

    RowLocks locks() {
        return locks;
    }
}
