// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.Durability;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.Isolation;
import dev.holdfast.LockTimeoutException;
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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The transactions of an engine: begins, commits, rolls back, and ends them all at its close. */
public final class TransactionSystem {
    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long PARK_NANOS = 50_000;
    private static final long ADMISSION_PARK_NANOS = 1_000_000;

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
    private final RowLocks locks;
    private final Workspaces workspaces;
    private final SettledVersions settled = this::isSettled;
    private final AtomicInteger awaitingDurability = new AtomicInteger();
    private volatile boolean closing;

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
        this.locks = new RowLocks(environment.storeName(), table, health, counters);
        this.workspaces = new Workspaces(this);
    }

    /** Opens a view of now. */
    public Snapshot snapshot() {
        View view = newView(Isolation.SNAPSHOT);
        SnapshotHandle handle = new SnapshotHandle(this, view);
        admit(view, handle);
        return handle;
    }

    /** Begins a transaction. */
    public Transaction begin(TransactionOptions wanted) {
        View view = newView(wanted.isolation().orElse(options.isolation()));
        Durability durability = wanted.durability().orElse(options.durability());
        Duration lockWait = wanted.lockWaitTimeout().orElse(options.lockWaitTimeout());
        TransactionHandle handle =
                new TransactionHandle(this, view, durability, lockWait.toNanos());
        admit(view, handle);
        return handle;
    }

    private View newView(Isolation isolation) {
        if (closing) {
            throw new EngineClosedException(storeName());
        }
        health.check();
        int slot = registry.acquire();
        if (slot < 0) {
            throw new LockTimeoutException("snapshot slot", Duration.ZERO);
        }
        return new View(this, isolation, slot, workspaces.take());
    }

    /** Lets the view be seen by close; either it sees the closing, or close sees the view. */
    private void admit(View view, ViewOwner handle) {
        view.owner(handle);
        registry.holder(view.slot(), view);
        if (closing && view.tryEnterForClose()) {
            handle.closeByEngine();
            throw new EngineClosedException(storeName());
        }
    }

    void viewEnded(View view) {
        registry.release(view.slot());
        workspaces.giveBack(view.workspace());
    }

    /** Gives a transaction an undo segment, an id and a place in the table. */
    LockOwner beginWriting(UndoLog undoLog, MiniTransaction mtr, long timeoutNanos) {
        UndoSegment segment = takeSegment(mtr, timeoutNanos);
        boolean begun = false;
        try {
            while (true) {
                long id = ids.next();
                LockOwner owner = new LockOwner(id);
                if (table.tryBegin(id, owner, registry.horizon())) {
                    undoLog.begin(segment, id);
                    begun = true;
                    return owner;
                }
                counters.increment(Counter.TRANSACTION_IDS_SKIPPED);
            }
        } finally {
            if (!begun) {
                undo.giveBack(segment);
            }
        }
    }

    private UndoSegment takeSegment(MiniTransaction mtr, long timeoutNanos) {
        UndoSegment segment = undo.take(mtr);
        if (segment != null) {
            return segment;
        }
        long start = System.nanoTime();
        long token = CoreSites.ADMISSION.counters().waitBegan();
        try {
            while (segment == null) {
                health.check();
                long waited = System.nanoTime() - start;
                if (waited >= timeoutNanos) {
                    throw new LockTimeoutException("undo segment", Duration.ofNanos(waited));
                }
                LockSupport.parkNanos(this, ADMISSION_PARK_NANOS);
                segment = undo.take(mtr);
            }
        } finally {
            CoreSites.ADMISSION.counters().waitEnded(token);
        }
        return segment;
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
        mtr.begin(UndoLog.commitRedoBytes(), 1, true);
        try {
            undoLog.fixHeader(mtr);
            table.committing(id);
            undoLog.markCommitted(mtr);
            lsn = mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
        ended(undoLog, owner, lsn);
        counters.increment(Counter.COMMITS);
        return lsn;
    }

    /** Takes everything back. */
    void rollback(UndoLog undoLog, Workspace workspace, LockOwner owner) {
        if (!undoLog.isBegun()) {
            return;
        }
        new Rollback(this, workspace).all(undoLog);
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
    }

    /**
     * Counts a commit that is going to wait for the log, before its view ends: close waits for it,
     * since the thread may be the one that writes the log.
     */
    void durabilityWaitBegins() {
        awaitingDurability.incrementAndGet();
    }

    void durabilityWaitEnded() {
        awaitingDurability.decrementAndGet();
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
        long token = CoreSites.COMMITTING_READER.counters().waitBegan();
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
            CoreSites.COMMITTING_READER.counters().waitEnded(token);
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
        byte[] whole = new byte[OverflowPointer.totalLength(pointer, 0)];
        readOverflow(handle, pointer, whole, 0);
        return whole;
    }

    void readOverflow(TableHandle handle, byte[] pointer, byte[] target, int offset) {
        environment
                .overflow()
                .read(
                        handle.tree().spaceId(),
                        handle.tree().treeId(),
                        OverflowPointer.headPage(pointer, 0),
                        OverflowPointer.totalLength(pointer, 0),
                        0,
                        target,
                        offset,
                        OverflowPointer.totalLength(pointer, 0));
    }

    /**
     * Whether no transaction has changed the table and may still change or restore it; for a drop,
     * after {@link TableHandle#dropped}.
     */
    public boolean hasWriters(TableHandle handle) {
        for (View view : registry.holders()) {
            if (view.owner() instanceof TransactionHandle transaction
                    && !view.isEnded()
                    && transaction.hasWritten(handle)) {
                return true;
            }
        }
        return false;
    }

    /** First step of close: nothing begins any more, and who waits for a row is told. */
    public void refuse() {
        closing = true;
        locks.close();
    }

    /**
     * Second step of close: ends every view between two of its calls; one that somebody is inside
     * is waited for.
     *
     * @return whether all have ended within the limit
     */
    public boolean endAll(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        boolean interrupted = false;
        while (true) {
            boolean busy = false;
            for (View view : registry.holders()) {
                if (view.tryEnterForClose()) {
                    view.owner().closeByEngine();
                } else if (!view.isEnded()) {
                    busy = true;
                }
            }
            // After the views: a commit is counted here before its view ends.
            busy |= awaitingDurability.get() > 0;
            if (!busy || System.nanoTime() - deadline >= 0) {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return !busy;
            }
            LockSupport.parkNanos(this, ADMISSION_PARK_NANOS);
            interrupted |= Thread.interrupted();
        }
    }

    /** Views in use: snapshots and transactions. Racy. */
    public int viewsInUse() {
        return registry.inUse();
    }

    /** What is committed up to here every snapshot sees. */
    public long horizon() {
        return registry.horizon();
    }

    /** Segments with committed logs that purge has not come to. Racy. */
    public int historyWaiting() {
        return undo.history().waiting();
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

    List<View> views() {
        return registry.holders();
    }
}
