// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.btree.RecordRoom;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.undo.RollPointer;
import dev.holdfast.core.undo.UndoEntry;
import dev.holdfast.core.undo.UndoLog;
import dev.holdfast.core.undo.UndoReader;
import dev.holdfast.core.undo.UndoVersion;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.sync.TestHooks;

/**
 * Takes changes back, newest first: of a statement, of a transaction, of one that a crash ended.
 *
 * <p>Each step undoes one record and pops it in one group (P8), so a crash in between undoes
 * nothing twice. Works from the reserves and has no time limit. A step that meets a damaged page,
 * or finds the reserve used up on a full disk, throws before its first change: what is left of the
 * log can be taken back later, by {@link LoserRollback}. If a step fails otherwise the engine does.
 */
final class Rollback {
    /*
     * A row that goes back to a deletion which every snapshot sees already is removed instead: purge
     * may have come by while the row was not deleted, and will not come again.
     */
    static final String STEP_DONE = "txn.rollback.step";

    private final TransactionSystem system;
    private final MiniTransaction mtr;
    private final WritePosition position;
    private final UndoVersion version;
    private final UndoReader undoReader;
    private final UndoVersion scratch;

    /** Commit LSN of the version that the present record restores. */
    private long previousLsn;

    Rollback(TransactionSystem system, Workspace workspace) {
        this.system = system;
        this.mtr = workspace.mtr;
        this.position = workspace.write;
        this.version = workspace.version;
        this.undoReader = workspace.undoReader;
        this.scratch = workspace.otherVersion;
    }

    /**
     * Takes back until so many records are left.
     *
     * <p><b>Latches:</b> none held; the mini-transaction is not active.
     */
    void to(UndoLog log, long mark) {
        while (log.recordCount() > mark && step(log)) {
            TestHooks.reached(STEP_DONE);
        }
    }

    /**
     * Takes back until nothing is left or a time has come.
     *
     * @param deadlineNanos of {@code System.nanoTime}
     * @return whether nothing is left
     */
    boolean until(UndoLog log, long deadlineNanos) {
        while (System.nanoTime() - deadlineNanos < 0) {
            if (!step(log)) {
                return true;
            }
            TestHooks.reached(STEP_DONE);
        }
        return !log.isWritten();
    }

    /**
     * Takes back so many records at most.
     *
     * @return whether nothing is left
     */
    boolean some(UndoLog log, int records) {
        for (int i = 0; i < records; i++) {
            if (!step(log)) {
                return true;
            }
        }
        return !log.isWritten();
    }

    /** Takes back everything. */
    void all(UndoLog log) {
        to(log, Long.MIN_VALUE);
        assert !log.isWritten() : "something is left of a log that was rolled back";
    }

    /** Takes back the newest record; false if there is none. */
    private boolean step(UndoLog log) {
        try {
            long roll = log.last(mtr, system.pool(), version);
            if (roll == RollPointer.NONE) {
                return false;
            }
            undo(log, roll);
            system.counters().increment(Counter.UNDO_RECORDS_ROLLED_BACK);
            return true;
        } catch (CorruptionException | DiskFullException hindrance) {
            // Nothing of this step is done, or the mini-transaction has failed the engine already.
            throw hindrance;
        } catch (Throwable t) {
            // A rollback that fails leaves rows that nobody may trust.
            system.health().fail(t);
            throw t;
        }
    }

    private void undo(UndoLog log, long roll) {
        previousLsn = lsnOfPrevious();
        TableHandle table = system.tables().byTreeId(version.treeId());
        boolean done = false;
        while (!done) {
            if (table == null || table.isDropped()) {
                done = popOnly(log);
            } else if (version.type() == UndoEntry.OVERFLOW_OWNED) {
                done = condemnChain(log, table.space());
            } else {
                done = restore(log, table, roll);
            }
        }
    }

    private boolean popOnly(UndoLog log) {
        mtr.begin(UndoLog.popRedoBytes(), 0, true);
        try {
            int frame = log.fix(mtr);
            log.pop(mtr, frame);
            mtr.commit();
            return true;
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }

    private boolean condemnChain(UndoLog log, Space space) {
        long head = headOf(space);
        mtr.begin(UndoLog.popRedoBytes() + 4 * RedoWriter.RECORD_OVERHEAD_MAX, 1, true);
        try {
            int frame = log.fix(mtr);
            boolean fixed = space.fixMap(mtr, head);
            assert fixed : "the only map page";
            space.condemn(mtr, head, true);
            log.pop(mtr, frame);
            mtr.commit();
            return true;
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }

    private long headOf(Space space) {
        return PageId.of(space.spaceId(), OverflowPointer.headPage(version.value(), 0));
    }

    private boolean restore(UndoLog log, TableHandle table, long roll) {
        BTree tree = table.tree();
        boolean isSparse;
        mtr.begin(redoBytes(), 2, true);
        try {
            boolean found = tree.fixLeafForWrite(mtr, version.key(), version.keyLength(), position);
            Invariants.check(
                    found
                            && LeafRecord.txnId(position.chunk(), position.record())
                                    == version.transactionId()
                            && LeafRecord.roll(position.chunk(), position.record()) == roll,
                    "row is as the undo record left it",
                    position.pageId(),
                    roll);
            boolean remove = removes();
            if (!remove && !hasRoom(tree)) {
                mtr.abandon();
                makeRoom(tree);
                return false;
            }
            int frame = log.fix(mtr);
            long chain = remove ? chainThatGoes(table.space()) : 0;
            if (chain != 0) {
                boolean fixed = table.space().fixMap(mtr, chain);
                assert fixed : "the only map page";
            }
            change(tree, remove);
            if (chain != 0) {
                table.space().condemn(mtr, chain, true);
            }
            log.pop(mtr, frame);
            isSparse = remove && tree.isSparse(position);
            mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
        if (isSparse) {
            merge(tree);
        }
        return true;
    }

    /** The row is back; that a neighbour of its leaf cannot be read is no reason to stop. */
    private void merge(BTree tree) {
        try {
            tree.mergeAt(mtr, position, version.key(), version.keyLength(), true);
        } catch (CorruptionException damage) {
            if (system.health().failed()) {
                throw damage;
            }
            system.health().damaged(damage, "merge of a sparse leaf");
        }
    }

    /** Whether the record goes, instead of getting its version before back. */
    private boolean removes() {
        if (version.type() == UndoEntry.INSERT) {
            return true;
        }
        boolean toDeleted =
                version.type() == UndoEntry.UPDATE
                        && (version.previousFlags() & LeafRecord.DELETED) != 0;
        // Under the leaf's latch, which purge needs too: if purge has come by, the horizon that it
        // went by is seen here, and if it has not, it will find the row deleted.
        return toDeleted
                && version.previousId() != version.transactionId()
                && previousLsn <= system.registry().horizon();
    }

    /** The commit LSN of the version before, 0 if it is visible to all; it does not change. */
    private long lsnOfPrevious() {
        long id = version.previousId();
        if (id == 0 || id == version.transactionId()) {
            return 0;
        }
        long state = system.table().lookup(id);
        if (state != TransactionTable.SPILLED) {
            return state;
        }
        int token = system.epochs().enter();
        try {
            long lsn = undoReader.commitLsn(version.previousRoll(), id, scratch);
            return lsn == UndoReader.LOG_GONE ? 0 : lsn;
        } finally {
            system.epochs().leave(token);
        }
    }

    /** The overflow chain of a deleted row that is removed; an insert's own is undone by itself. */
    private long chainThatGoes(Space space) {
        boolean owned =
                version.type() == UndoEntry.UPDATE
                        && (version.previousFlags() & LeafRecord.OVERFLOW) != 0;
        return owned ? headOf(space) : 0;
    }

    private void change(BTree tree, boolean remove) {
        if (remove) {
            tree.remove(mtr, position);
        } else if (version.type() == UndoEntry.UPDATE) {
            tree.replace(
                    mtr,
                    position,
                    version.previousFlags(),
                    version.previousId(),
                    version.previousRoll(),
                    version.value(),
                    0,
                    version.valueLength());
        } else {
            tree.setHeader(
                    mtr,
                    position,
                    version.previousFlags(),
                    version.previousId(),
                    version.previousRoll());
        }
    }

    private boolean hasRoom(BTree tree) {
        return version.type() == UndoEntry.UPDATE
                ? tree.hasRoom(
                        position,
                        version.previousFlags(),
                        version.keyLength(),
                        version.valueLength())
                : tree.hasRoomForHeader(position, version.previousFlags());
    }

    private void makeRoom(BTree tree) {
        tree.makeRoom(
                mtr,
                position,
                version.key(),
                version.keyLength(),
                new RecordRoom(version.previousFlags(), version.valueLength()),
                system.settled(),
                true);
    }

    private int redoBytes() {
        return BTree.redoBytesMax(version.keyLength(), version.valueLength())
                + UndoLog.popRedoBytes()
                + 4 * RedoWriter.RECORD_OVERHEAD_MAX;
    }
}
