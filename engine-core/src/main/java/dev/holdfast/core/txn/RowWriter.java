// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.DuplicateKeyException;
import dev.holdfast.Isolation;
import dev.holdfast.StorageException;
import dev.holdfast.WriteConflictException;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.OverflowOwner;
import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.btree.RecordRoom;
import dev.holdfast.core.btree.TreeGoneException;
import dev.holdfast.core.btree.TreeLimits;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.undo.UndoEntry;
import dev.holdfast.core.undo.UndoImage;
import dev.holdfast.core.undo.UndoLog;
import dev.holdfast.core.undo.UndoReader;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Changes one row for a transaction. For one thread at a time; reused for all its statements.
 *
 * <p>One group changes the leaf and the undo page (P7). All that may wait or fail comes before the
 * first change; if something is missing the group is abandoned, what is missing is got, and the row
 * is looked at afresh.
 */
final class RowWriter {
    /*
     * One attempt, with the leaf latched exclusively, ends in one of these:
     *
     *   DONE           the row is changed, or is as the statement wants it not to be
     *   AGAIN          something was missing and has been got, or has been waited for
     *
     * The order of the looks matters. First the writer in the row: if it is active its end is waited
     * for, if it committed behind the snapshot that is a conflict. Then the queue of the key: whoever
     * was granted the row writes first (P14). Only then what the row is.
     *
     * Under X an absent writer needs no validation: while its id stands in the row it was not rolled
     * back (P4).
     */
    private static final int AGAIN = 0;
    private static final int DONE = 1;
    private static final int NOT_DONE = 2;

    /** Tries to latch the undo page at once; then it is waited for, with the leaf held. */
    private static final int UNDO_TRIES = 4;

    /** Sync point: the value's chain is written and the row is to be looked at again. */
    static final String CHAIN_WRITTEN = "txn.writer.chainWritten";

    /** Sync point: a chain is about to be compared, with the row's latch given up. */
    static final String CHAIN_SEEN = "txn.writer.chainSeen";

    private final TransactionHandle transaction;
    private final View view;
    private final TransactionSystem system;
    private final Workspace workspace;
    private final MiniTransaction mtr;
    private final WritePosition position;
    private final UndoImage image;
    private final int pageBytes;

    // The statement.
    private TableHandle table;
    private RowChange change;
    private byte[] key;
    private byte[] value;
    private byte[] expected;

    /** What goes into the leaf: the value, or a pointer to its chain. */
    private byte[] stored;

    private int storedLength;
    private int storedFlags;

    /** Stored length of the value that the row has now. */
    private int presentLength;

    // What was found out about the row outside of its latch, and holds while the row says the same.
    private long resolvedId;
    private long resolvedLsn;
    private long comparedId;
    private long comparedRoll;
    private boolean comparedEqual;
    private boolean comparedKnown;

    /** When this statement began to wait for the row. */
    private long waitStart;

    private boolean hasWaited;
    private int undoMisses;

    RowWriter(TransactionHandle transaction, View view) {
        this.transaction = transaction;
        this.view = view;
        this.system = view.system();
        this.workspace = view.workspace();
        this.mtr = workspace.mtr;
        this.position = workspace.write;
        this.image = workspace.image;
        this.pageBytes = system.pool().pageBytes();
    }

    /**
     * Does one statement on one row.
     *
     * <p><b>Latches:</b> none held. If it throws, an overflow chain may be left, which the undo log
     * owns: the caller rolls back to its mark.
     *
     * @return false if the row is not there, or not as expected; then nothing was changed
     */
    boolean write(TableHandle to, RowChange what, byte[] rowKey, byte[] newValue, byte[] oldValue) {
        table = to;
        change = what;
        key = rowKey;
        value = newValue;
        expected = oldValue;
        resolvedId = 0;
        comparedKnown = false;
        hasWaited = false;
        undoMisses = 0;
        stored = null;
        try {
            transaction.beginWriting(to);
            prepareValue();
            int outcome = AGAIN;
            while (outcome == AGAIN) {
                system.health().check();
                outcome = attempt();
            }
            return outcome == DONE;
        } catch (TreeGoneException | CorruptionException | StorageException e) {
            throw to.refusal(e);
        } finally {
            transaction.leaveQueue();
            table = null;
            key = null;
            value = null;
            expected = null;
            stored = null;
        }
    }

    private void prepareValue() {
        storedFlags = LeafRecord.HAS_VERSION;
        if (value == null) {
            storedLength = 0;
            return;
        }
        if (TreeLimits.isInline(pageBytes, key.length, value.length)) {
            stored = value;
            storedLength = value.length;
        }
        // Else it goes into a chain, which is written once the row has been looked at.
    }

    private void writeChain() {
        int ownerBytes = UndoEntry.recordBytes(0, OverflowPointer.BYTES);
        transaction.undoLog().ensureRoom(mtr, ownerBytes, false);
        int head =
                system.overflow()
                        .write(
                                mtr,
                                table.space(),
                                table.tree().treeId(),
                                value,
                                0,
                                value.length,
                                false,
                                new ChainOwner());
        OverflowPointer.encode(workspace.pointer, 0, head, value.length);
        stored = workspace.pointer;
        storedLength = OverflowPointer.BYTES;
        storedFlags = LeafRecord.HAS_VERSION | LeafRecord.OVERFLOW;
    }

    private int attempt() {
        BTree tree = table.tree();
        UndoLog log = transaction.undoLog();
        mtr.begin(redoBytes(), undoMisses < UNDO_TRIES ? 0 : 1, false);
        try {
            tree.fixLeafForWrite(mtr, key, key.length, position);
            int outcome = look();
            if (outcome != DONE) {
                return outcome;
            }
            if (change != RowChange.DELETE && stored == null) {
                mtr.abandon();
                writeChain();
                TestHooks.reached(CHAIN_WRITTEN);
                return AGAIN;
            }
            fillImage();
            if (!log.hasRoom(image.recordBytes(), pageBytes)) {
                int bytes = image.recordBytes();
                mtr.abandon();
                log.ensureRoom(mtr, bytes, false);
                return AGAIN;
            }
            if (!hasRoom(tree)) {
                mtr.abandon();
                makeRoom(tree);
                return AGAIN;
            }
            int undoFrame = undoMisses < UNDO_TRIES ? log.tryFix(mtr) : log.fix(mtr);
            if (undoFrame < 0) {
                mtr.abandon();
                undoMisses++;
                system.pool().load(log.tailPageId(), false);
                return AGAIN;
            }
            apply(tree, log.append(mtr, undoFrame, image));
            mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
        transaction.wrote();
        return DONE;
    }

    /** Looks at the latched row; abandons the mini-transaction unless it returns DONE. */
    private int look() {
        boolean found = position.found();
        long writer = found ? LeafRecord.txnId(position.chunk(), position.record()) : 0;
        if (writer != 0 && writer != view.ownId()) {
            int outcome = lookAtWriter(writer);
            if (outcome != DONE) {
                return outcome;
            }
        }
        long holder = system.locks().holder(table.tree().treeId(), key, key.length);
        if (holder != 0 && holder != view.ownId()) {
            mtr.abandon();
            transaction.awaitRow(table, key, 0, waitStart());
            return AGAIN;
        }
        boolean isLive = found && !LeafRecord.isDeleted(position.chunk(), position.record());
        if (change == RowChange.PUT) {
            return DONE;
        }
        if (change == RowChange.INSERT) {
            if (isLive) {
                mtr.abandon();
                throw new DuplicateKeyException(table.name(), key);
            }
            return DONE;
        }
        if (!isLive) {
            mtr.abandon();
            return NOT_DONE;
        }
        return change == RowChange.UPDATE ? compare() : DONE;
    }

    private int lookAtWriter(long writer) {
        long state = writer == resolvedId ? resolvedLsn : system.table().lookup(writer);
        if (state == TransactionTable.SPILLED) {
            long roll = LeafRecord.roll(position.chunk(), position.record());
            mtr.abandon();
            resolve(writer, roll);
            return AGAIN;
        }
        if (state == TransactionTable.COMMITTING) {
            mtr.abandon();
            system.awaitCommitted(writer);
            return AGAIN;
        }
        if (state == TransactionTable.ACTIVE) {
            mtr.abandon();
            transaction.awaitRow(table, key, writer, waitStart());
            return AGAIN;
        }
        if (view.isolation() == Isolation.SNAPSHOT
                && state > view.snapshotLsn()
                && !TestHooks.fault(PlantedFault.CONFLICT_CHECK_SKIPPED)) {
            mtr.abandon();
            system.counters().increment(Counter.WRITE_CONFLICTS);
            throw new WriteConflictException(table.name(), key);
        }
        return DONE;
    }

    private long waitStart() {
        if (!hasWaited) {
            hasWaited = true;
            waitStart = System.nanoTime();
        }
        return waitStart;
    }

    /** Asks the undo log of a writer that left the table; remembered for the next attempt. */
    private void resolve(long writer, long roll) {
        int token = system.epochs().enter();
        try {
            long lsn = workspace.undoReader.commitLsn(roll, writer, workspace.version);
            resolvedId = writer;
            if (lsn == UndoReader.LOG_GONE) {
                resolvedLsn = TransactionTable.ABSENT;
            } else if (lsn == UndoReader.LOG_IS_ACTIVE) {
                // It was popped or taken over meanwhile: look the writer up again.
                resolvedId = 0;
            } else {
                resolvedLsn = lsn;
            }
        } finally {
            system.epochs().leave(token);
        }
    }

    private int compare() {
        ByteBuffer chunk = position.chunk();
        int record = position.record();
        int length = LeafRecord.valueLength(chunk, record, position.recordLength());
        int at = LeafRecord.valueAt(chunk, record);
        boolean isEqual;
        if (!LeafRecord.isOverflow(chunk, record)) {
            isEqual = PageMemory.compare(chunk, at, length, expected, 0, expected.length) == 0;
        } else if (OverflowPointer.totalLength(chunk, at) != expected.length) {
            isEqual = false;
        } else if (comparedKnown
                && comparedId == LeafRecord.txnId(chunk, record)
                && comparedRoll == LeafRecord.roll(chunk, record)) {
            isEqual = comparedEqual;
        } else {
            return compareChain(chunk, record, at);
        }
        if (!isEqual) {
            mtr.abandon();
            return NOT_DONE;
        }
        return DONE;
    }

    /**
     * Reads the chain with the latch given up; the next attempt sees whether the row is the same.
     */
    private int compareChain(ByteBuffer chunk, int record, int at) {
        comparedId = LeafRecord.txnId(chunk, record);
        comparedRoll = LeafRecord.roll(chunk, record);
        byte[] pointer = new byte[OverflowPointer.BYTES];
        PageMemory.copyOut(chunk, at, pointer, 0, pointer.length);
        // Entered before the latch goes: the chain is in the row now, so it outlives the epoch.
        int token = system.epochs().enter();
        try {
            mtr.abandon();
            TestHooks.reached(CHAIN_SEEN);
            comparedEqual = Arrays.equals(expected, system.readOverflow(table, pointer));
            comparedKnown = true;
        } finally {
            system.epochs().leave(token);
        }
        return AGAIN;
    }

    private void fillImage() {
        int type = UndoEntry.INSERT;
        if (position.found()) {
            type = change == RowChange.DELETE ? UndoEntry.DELETE : UndoEntry.UPDATE;
        }
        image.set(type, table.tree().treeId(), view.ownId(), key, key.length);
        if (!position.found()) {
            return;
        }
        ByteBuffer chunk = position.chunk();
        int record = position.record();
        image.previous(
                LeafRecord.flags(chunk, record),
                LeafRecord.txnId(chunk, record),
                LeafRecord.roll(chunk, record));
        presentLength = LeafRecord.valueLength(chunk, record, position.recordLength());
        if (type == UndoEntry.UPDATE) {
            image.value(chunk, LeafRecord.valueAt(chunk, record), presentLength);
        }
    }

    private boolean hasRoom(BTree tree) {
        return change == RowChange.DELETE
                ? tree.hasRoomForHeader(position, deletedFlags())
                : tree.hasRoom(position, storedFlags, key.length, storedLength);
    }

    private int deletedFlags() {
        return LeafRecord.flags(position.chunk(), position.record())
                | LeafRecord.DELETED
                | LeafRecord.HAS_VERSION;
    }

    private void makeRoom(BTree tree) {
        int flags = storedFlags;
        int length = storedLength;
        if (change == RowChange.DELETE) {
            // The record as it was; another writer may have changed it by then, then once more.
            flags = image.previousFlags | LeafRecord.DELETED | LeafRecord.HAS_VERSION;
            length = presentLength;
        }
        tree.makeRoom(
                mtr,
                position,
                key,
                key.length,
                new RecordRoom(flags, length),
                system.settled(),
                false);
    }

    private void apply(BTree tree, long roll) {
        if (change == RowChange.DELETE) {
            tree.setHeader(mtr, position, deletedFlags(), view.ownId(), roll);
        } else if (position.found()) {
            tree.replace(mtr, position, storedFlags, view.ownId(), roll, stored, 0, storedLength);
        } else {
            tree.insert(
                    mtr,
                    position,
                    storedFlags,
                    view.ownId(),
                    roll,
                    key,
                    key.length,
                    stored,
                    0,
                    storedLength);
        }
    }

    private int redoBytes() {
        int inlineMax = TreeLimits.recordBytesMax(pageBytes);
        return BTree.redoBytesMax(key.length, Math.max(storedLength, OverflowPointer.BYTES))
                + UndoLog.appendRedoBytesMax(key.length, inlineMax);
    }

    /** Lets an undo record own a chain until a row points to it. */
    private final class ChainOwner implements OverflowOwner {
        private int undoFrame;

        @Override
        public int redoBytesMax() {
            return UndoLog.appendRedoBytesMax(0, OverflowPointer.BYTES);
        }

        @Override
        public void latch(MiniTransaction m) {
            undoFrame = m.fixExclusive(transaction.undoLog().tailPageId());
        }

        @Override
        public void own(MiniTransaction m, int headPageNumber, int totalLength) {
            OverflowPointer.encode(workspace.pointer, 0, headPageNumber, totalLength);
            ByteBuffer memory = workspace.pointerMemory;
            PageMemory.copyIn(memory, 0, workspace.pointer, 0, OverflowPointer.BYTES);
            image.set(UndoEntry.OVERFLOW_OWNED, table.tree().treeId(), view.ownId(), key, 0);
            image.value(memory, 0, OverflowPointer.BYTES);
            transaction.undoLog().append(m, undoFrame, image);
        }
    }
}
