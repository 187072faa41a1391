// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.Cursor;
import dev.holdfast.DiskFullException;
import dev.holdfast.Durability;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.Isolation;
import dev.holdfast.KeyTooLongException;
import dev.holdfast.Limits;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.Range;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.ValueTooLongException;
import dev.holdfast.core.btree.TreeLimits;
import dev.holdfast.core.undo.UndoLog;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** A transaction of the API. */
final class TransactionHandle implements Transaction, ViewOwner {
    /*
     * It has an id, a place in the table and an undo segment only from its first change on
     * (beginWriting), so one that only reads costs no shared write but its snapshot slot.
     *
     * A statement that throws, or finds in the end that it has nothing to do, is rolled back to the
     * undo mark that it began at. The chain of an overflow value is the only thing that one row's
     * change can have left.
     */
    private static final TableHandle[] NOTHING = {};

    private final TransactionSystem system;
    private final View view;
    private final ViewReads reads;
    private final RowWriter writer;
    private final Durability durability;
    private final long lockWaitNanos;
    private final UndoLog log = new UndoLog();
    private final RowWaiter waiter = new RowWaiter();

    /** Tables that it may have changed; replaced, never changed. Read by who drops a table. */
    private volatile TableHandle[] written = NOTHING;

    private LockOwner owner;

    /** What kept a rollback from its end; then the transaction has ended, or is about to. */
    private RuntimeException hindrance;

    TransactionHandle(
            TransactionSystem system, View view, Durability durability, long lockWaitNanos) {
        this.system = system;
        this.view = view;
        this.durability = durability;
        this.lockWaitNanos = lockWaitNanos;
        this.reads = new ViewReads(view);
        this.writer = new RowWriter(this, view);
    }

    @Override
    public byte[] get(Table table, byte[] key) {
        return reads.get(table, key);
    }

    @Override
    public int get(Table table, byte[] key, ByteBuffer target) {
        return reads.get(table, key, target);
    }

    @Override
    public boolean contains(Table table, byte[] key) {
        return reads.contains(table, key);
    }

    @Override
    public Cursor cursor(Table table, Range range) {
        return reads.cursor(table, range);
    }

    @Override
    public void awaitDurable() {
        view.enter();
        try {
            boolean statement = view.isolation() == Isolation.READ_COMMITTED;
            system.log().makeDurable(statement ? system.log().appendLsn() : view.snapshotLsn());
        } finally {
            view.exit();
        }
    }

    @Override
    public void put(Table table, byte[] key, byte[] value) {
        change(table, RowChange.PUT, key, Objects.requireNonNull(value, "value"), null);
    }

    @Override
    public void insert(Table table, byte[] key, byte[] value) {
        change(table, RowChange.INSERT, key, Objects.requireNonNull(value, "value"), null);
    }

    @Override
    public boolean replace(Table table, byte[] key, byte[] value) {
        return change(table, RowChange.REPLACE, key, Objects.requireNonNull(value, "value"), null);
    }

    @Override
    public boolean update(Table table, byte[] key, byte[] expected, byte[] value) {
        Objects.requireNonNull(expected, "expected");
        Objects.requireNonNull(value, "value");
        return change(table, RowChange.UPDATE, key, value, expected);
    }

    @Override
    public boolean delete(Table table, byte[] key) {
        return change(table, RowChange.DELETE, key, null, null);
    }

    private boolean change(Table table, RowChange what, byte[] key, byte[] value, byte[] expected) {
        Objects.requireNonNull(key, "key");
        view.enter();
        try {
            TableHandle handle = TableHandle.of(table, system.engine());
            checkLengths(key, value);
            return statement(handle, what, key, value, expected);
        } finally {
            endCall();
        }
    }

    private void checkLengths(byte[] key, byte[] value) {
        int keyBytesMax = TreeLimits.keyBytesMax(system.pool().pageBytes());
        if (key.length > keyBytesMax) {
            throw new KeyTooLongException(key.length, keyBytesMax);
        }
        if (value != null && value.length > Limits.VALUE_BYTES_MAX) {
            throw new ValueTooLongException(value.length, Limits.VALUE_BYTES_MAX);
        }
    }

    /** One row, atomically; the view is entered. */
    private boolean statement(
            TableHandle table, RowChange what, byte[] key, byte[] value, byte[] expected) {
        long mark = log.recordCount();
        try {
            boolean done = writer.write(table, what, key, value, expected);
            if (done) {
                view.changed();
            } else {
                rollbackTo(mark, null);
            }
            return done;
        } catch (Throwable t) {
            rollbackTo(mark, t);
            throw t;
        }
    }

    /**
     * Takes a statement back. If that meets a hindrance the whole transaction ends: it can neither
     * go on nor commit with a part of a statement.
     */
    private void rollbackTo(long mark, Throwable reason) {
        boolean hasPart = log.isBegun() && log.recordCount() > mark;
        if (!hasPart || hindrance != null || system.health().failed()) {
            return;
        }
        try {
            new Rollback(system, view.workspace()).to(log, mark);
            view.changed();
        } catch (CorruptionException | DiskFullException met) {
            if (!system.health().failed()) {
                hindrance = met;
            }
            if (reason != null && reason != met) {
                met.addSuppressed(reason);
            }
            throw met;
        }
    }

    /** Ends a call that may have ended the transaction. */
    private void endCall() {
        if (hindrance == null) {
            view.exit();
        } else {
            leave();
        }
    }

    /** Ends it for its user; what is left to be taken back is not its own affair any more. */
    private void leave() {
        system.leave(log, owner, hindrance);
        // Only now: who drops a table asks here and there whether somebody needs it.
        written = NOTHING;
        view.finish("ended, what it has changed is being taken back");
    }

    @Override
    public long deleteRange(Table table, Range range) {
        Objects.requireNonNull(range, "range");
        view.enter();
        try {
            TableHandle handle = TableHandle.of(table, system.engine());
            long mark = log.recordCount();
            try {
                return deleteEach(handle, range);
            } catch (Throwable t) {
                rollbackTo(mark, t);
                throw t;
            }
        } finally {
            view.statementEnded();
            endCall();
        }
    }

    private long deleteEach(TableHandle table, Range range) {
        long count = 0;
        TableCursor cursor = TableCursor.ofKeys(view, table, range);
        try {
            while (cursor.nextEntered()) {
                if (statement(table, RowChange.DELETE, cursor.keyEntered(), null, null)) {
                    count++;
                }
            }
        } finally {
            cursor.endEntered();
        }
        return count;
    }

    // What RowWriter asks for.

    UndoLog undoLog() {
        return log;
    }

    /** Gets an id and an undo segment if it has none yet, and notes the table. */
    void beginWriting(TableHandle table) {
        if (!log.isBegun()) {
            owner = system.beginWriting(log, view.workspace().mtr, lockWaitNanos);
            view.ownId(owner.transactionId());
            waiter.transactionId = owner.transactionId();
            waiter.owner = owner;
        }
        TableHandle[] before = written;
        for (TableHandle known : before) {
            if (known == table) {
                return;
            }
        }
        TableHandle[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = table;
        written = after;
        // After the volatile store: either this sees the drop, or the drop sees the table here.
        if (table.isDropped()) {
            throw new NoSuchTableException(table.name());
        }
    }

    boolean hasWritten(TableHandle table) {
        for (TableHandle known : written) {
            if (known == table) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits until the row is granted to it.
     *
     * @param writer whose id stands in the row, or zero to wait for who was granted it
     * @param start when the statement began to wait
     */
    void awaitRow(TableHandle table, byte[] key, long writer, long start) {
        system.locks()
                .await(
                        waiter,
                        table.name(),
                        table.tree().treeId(),
                        key,
                        key.length,
                        writer,
                        start,
                        lockWaitNanos);
    }

    /** The row is written: whoever waits for it waits for this transaction now. */
    void wrote() {
        if (waiter.isGranted()) {
            system.locks().wrote(waiter);
        }
    }

    /** Passes on a row that it was granted and has not written. */
    void leaveQueue() {
        if (waiter.isQueued()) {
            system.locks().leave(waiter);
        }
    }

    @Override
    public void commit() {
        commit(durability);
    }

    @Override
    public void commit(Durability wanted) {
        Objects.requireNonNull(wanted, "durability");
        view.enter();
        long lsn;
        try {
            lsn = system.commit(log, view.workspace().mtr, owner);
        } catch (Throwable t) {
            view.exit();
            throw t;
        }
        written = NOTHING;
        try {
            if (lsn != 0) {
                // Inside the view, so that close waits for it: this thread may be the one that
                // writes the log. But no version need be kept for it any more.
                view.giveUpSnapshot();
                system.makeAsDurable(lsn, wanted);
            }
        } finally {
            view.finish("committed");
        }
    }

    @Override
    public void rollback() {
        view.enter();
        rollbackAndFinish();
    }

    private void rollbackAndFinish() {
        try {
            system.rollback(log, view.workspace(), owner);
        } catch (CorruptionException | DiskFullException met) {
            rollbackHindered(met);
            return;
        } catch (Throwable t) {
            view.exit();
            throw t;
        }
        written = NOTHING;
        view.finish("rolled back");
    }

    /** That room has to come first is no news for who gives up what it did; damage is. */
    private void rollbackHindered(RuntimeException met) {
        if (system.health().failed()) {
            view.exit();
            throw met;
        }
        hindrance = met;
        leave();
        if (met instanceof CorruptionException) {
            throw met;
        }
    }

    @Override
    public void close() {
        if (view.isEnded()) {
            return;
        }
        try {
            view.enter();
        } catch (EngineFailedException e) {
            // Nothing is written any more, so there is nothing to take back.
            view.finishFailed();
            return;
        } catch (EngineClosedException e) {
            // The engine takes it back.
            return;
        }
        rollbackAndFinish();
    }

    @Override
    public void closeByEngine(long deadlineNanos) {
        try {
            if (!system.health().failed()) {
                system.rollbackUntil(log, view.workspace(), owner, deadlineNanos);
            }
        } finally {
            written = NOTHING;
            view.closedByEngine();
        }
    }
}
