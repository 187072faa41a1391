// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceShrink;
import dev.holdfast.core.undo.RollPointer;
import dev.holdfast.core.undo.UndoEntry;
import dev.holdfast.core.undo.UndoHistory;
import dev.holdfast.core.undo.UndoSegment;
import dev.holdfast.core.undo.UndoTruncation;
import dev.holdfast.core.undo.UndoVersion;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;

/**
 * The agent that moves the horizon on and removes what no snapshot sees any more, in the order of
 * the commits: deleted rows, the overflow chains of old values, undo pages, empty leaves.
 */
public final class Purge implements BackgroundAgent.Body {
    /*
     * P17. A row is removed only if it is still deleted by that very change: its id and roll pointer
     * are compared under the leaf's exclusive latch. So purging a log twice, as happens after a
     * crash, does nothing the second time. That does not hold for the chain of a value that was
     * replaced; there the undo record is marked in the same group that condemns the chain.
     *
     * A round is so many records at most, so that a close need not wait for a large log; what the
     * engine's end interrupts is begun again after the next open. So it is after a round that ran out
     * of memory: the record at hand is read again. The pages of an undo log go when purge is done
     * with it; what was condemned is freed by the space's own agent when its epochs have passed (P6).
     *
     * A round ends as well when the budget of IO has nothing left; its log is gone on with next time.
     */
    private static final int ROUND_RECORDS = 256;

    static final String BEFORE_ROW = "txn.purge.row";

    private final TransactionSystem system;
    private final UndoHistory history;
    private final Workspace workspace;
    private final UndoVersion record;
    private final UndoTruncation truncation;
    private final PurgeBudget budget;

    /** The segment whose log is being purged, from round to round. */
    private UndoSegment current;

    /** The tree that a record is being purged in; read by who drops a table. */
    private volatile int treeAtWork;

    /**
     * The agent of a transaction system; run by one thread.
     *
     * @param undoPagesMax an undo space with more pages is truncated when its history is gone;
     *     before there is half as much of it, purge reads what {@code capacity} has for it
     */
    public Purge(
            TransactionSystem system, SpaceShrink shrink, long undoPagesMax, IoCapacity capacity) {
        this.system = system;
        this.history = system.undo().history();
        this.workspace = new Workspace(system);
        this.truncation =
                new UndoTruncation(
                        system.undo(),
                        shrink,
                        new MiniTransaction(system.mtrContext()),
                        undoPagesMax);
        this.record = workspace.version;
        this.budget =
                new PurgeBudget(
                        capacity, undoPagesMax * workspace.mtr.pageBytes() / 2, system.counters());
        history.countIn(workspace.counts);
    }

    @Override
    public boolean run() throws IOException {
        long horizon = system.registry().advanceHorizon();
        system.table().horizonAdvanced(horizon);
        for (int i = 0; i < ROUND_RECORDS; i++) {
            current = current == null ? poll(horizon) : current;
            if (current == null) {
                truncation.step();
                return false;
            }
            if (!budget.mayGoOn(horizon - current.purgeLsn())) {
                return false;
            }
            long missed = missed();
            if (!purgeOrPass(current)) {
                current = null;
            }
            budget.wereRead(missed() - missed);
        }
        return true;
    }

    private long missed() {
        return workspace.counts.valueOpaque(Counter.PAGE_FIXES_MISSED);
    }

    /**
     * Goes on with a log; false if purge is done with it. A page that cannot be read hurts only the
     * record that needs it: its row stays deleted-marked where nobody can read it anyway, and what
     * comes after it in history is not held up. If it is the log's own page that is damaged, the
     * log is passed by and its pages stay its own until the next open.
     */
    private boolean purgeOrPass(UndoSegment segment) {
        try {
            if (purgeNext(segment)) {
                return true;
            }
            history.finish(workspace.mtr, segment);
        } catch (CorruptionException damage) {
            pass(damage);
        }
        return false;
    }

    /** The oldest log that nobody needs; null if there is none, or its segment was passed by. */
    private UndoSegment poll(long horizon) {
        try {
            return history.poll(horizon);
        } catch (CorruptionException damage) {
            pass(damage);
            return null;
        }
    }

    private void pass(CorruptionException damage) {
        if (system.health().failed()) {
            throw damage;
        }
        system.counters().increment(Counter.PURGE_DAMAGE_SKIPPED);
        system.health().damaged(damage, "purge");
    }

    /** Purges the next record of the log; false if there is none left. */
    private boolean purgeNext(UndoSegment segment) {
        long roll = history.next(segment, record);
        if (roll == RollPointer.NONE) {
            return false;
        }
        boolean done = false;
        try {
            purge(segment, roll);
            done = true;
        } catch (CorruptionException damage) {
            pass(damage);
            done = true;
        } finally {
            if (!done) {
                history.again(segment);
            }
        }
        return true;
    }

    private void purge(UndoSegment segment, long roll) {
        boolean deletes = record.type() == UndoEntry.DELETE;
        boolean ownsChain =
                record.type() == UndoEntry.UPDATE
                        && (record.previousFlags() & LeafRecord.OVERFLOW) != 0
                        && !record.isPurged();
        if (!deletes && !ownsChain) {
            return;
        }
        // Before the look whether the table is dropped: either this sees the drop, or that sees
        // this.
        treeAtWork = record.treeId();
        try {
            TableHandle table = system.tables().byTreeId(record.treeId());
            if (table != null && !table.isDropped()) {
                TestHooks.reached(BEFORE_ROW);
                purgeIn(table, segment, roll, deletes);
            }
        } finally {
            treeAtWork = 0;
        }
    }

    /** Whether a record of the tree is being purged just now. */
    public boolean isAtWorkIn(int treeId) {
        return treeAtWork == treeId;
    }

    private void purgeIn(TableHandle table, UndoSegment segment, long roll, boolean deletes) {
        if (deletes) {
            removeRow(table, roll);
        } else {
            condemnChain(segment, table.space());
        }
    }

    private void removeRow(TableHandle table, long roll) {
        BTree tree = table.tree();
        boolean isSparse = false;
        workspace.mtr.begin(removeRedoBytes(), 1, true);
        try {
            if (!isStillDeleted(tree, roll)) {
                workspace.mtr.abandon();
                return;
            }
            long chain = chainOfRow(table.space());
            if (chain != 0) {
                boolean fixed = table.space().fixMap(workspace.mtr, chain);
                assert fixed : "the only map page";
            }
            tree.remove(workspace.mtr, workspace.write);
            if (chain != 0) {
                table.space().condemn(workspace.mtr, chain, true);
                system.counters().increment(Counter.OVERFLOW_CHAINS_PURGED);
            }
            isSparse = tree.isSparse(workspace.write);
            workspace.mtr.commit();
        } catch (Throwable t) {
            throw workspace.mtr.failed(t);
        }
        system.counters().increment(Counter.ROWS_PURGED);
        if (isSparse) {
            tree.mergeAt(workspace.mtr, workspace.write, record.key(), record.keyLength(), true);
        }
    }

    /** Latches the row's leaf; whether the row is as the undo record's change left it. */
    private boolean isStillDeleted(BTree tree, long roll) {
        boolean found =
                tree.fixLeafForWrite(
                        workspace.mtr, record.key(), record.keyLength(), workspace.write);
        if (!found) {
            return false;
        }
        int at = workspace.write.record();
        return LeafRecord.isDeleted(workspace.write.chunk(), at)
                && LeafRecord.txnId(workspace.write.chunk(), at) == record.transactionId()
                && LeafRecord.roll(workspace.write.chunk(), at) == roll;
    }

    private long chainOfRow(Space space) {
        int at = workspace.write.record();
        if (!LeafRecord.isOverflow(workspace.write.chunk(), at)) {
            return 0;
        }
        int pointer = LeafRecord.valueAt(workspace.write.chunk(), at);
        return PageId.of(
                space.spaceId(), OverflowPointer.headPage(workspace.write.chunk(), pointer));
    }

    private void condemnChain(UndoSegment segment, Space space) {
        long head = PageId.of(space.spaceId(), OverflowPointer.headPage(record.value(), 0));
        workspace.mtr.begin(8 * RedoWriter.RECORD_OVERHEAD_MAX + 64, 2, true);
        try {
            int frame = history.fixRecord(workspace.mtr, segment);
            boolean fixed = space.fixMap(workspace.mtr, head);
            assert fixed : "the only map page";
            space.condemn(workspace.mtr, head, true);
            history.markPurged(workspace.mtr, frame);
            workspace.mtr.commit();
        } catch (Throwable t) {
            throw workspace.mtr.failed(t);
        }
        system.counters().increment(Counter.OVERFLOW_CHAINS_PURGED);
    }

    private int removeRedoBytes() {
        return BTree.redoBytesMax(record.keyLength(), 0) + 4 * RedoWriter.RECORD_OVERHEAD_MAX + 32;
    }
}
