// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.ReadPosition;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.undo.RollPointer;
import dev.holdfast.core.undo.UndoEntry;
import dev.holdfast.core.undo.UndoReader;
import dev.holdfast.core.undo.UndoVersion;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.TestHooks;
import java.util.Arrays;

/**
 * Finds the version of one row that a view sees, from the newest backwards. Reused, for one thread
 * at a time.
 *
 * <p>{@link #start} takes over what the leaf says, unvalidated; {@link #resolve} validates it
 * inside an epoch and follows the roll pointers. What was found stays here until the next start.
 */
final class VersionChain {
    /*
     * P6. Inside the epoch the leaf is validated once: what its record points to is there then, and
     * stays readable until the epoch is left. Every step checks that the undo record is of this row
     * and transaction; if it is not, a rollback has popped it meanwhile, and the row is read again.
     *
     * P4. "Absent" counts as visible only if the leaf validates after the lookup: otherwise the
     * transaction may have been rolled back between the copy of the record and the lookup. So the
     * leaf is validated again whenever the answer rests on an absent id.
     *
     * A deletion's undo record has no value: the version before has the value of the version after.
     * The two are read at two moments, between which the transaction may have taken the deletion
     * back, changed the row and deleted it again; so the leaf is validated again there, too.
     *
     * A leaf that is written all the time may never validate. The row's reader then comes with the
     * leaf latched. If the row's writer has ended, as seen under that latch, it has committed, and
     * nothing of the chain can change before the epoch is left: the latch is given up, and no
     * validation is needed any more. The undo of a writer that is active is read under the latch, up
     * to the version of another, which has committed, since it was overwritten. If a page has to be
     * loaded for that, the latch is given up first and it is as without; the next attempt finds the
     * page in the pool.
     *
     * While the leaf is unchanged its chain is whole as far as the view needs it. So a record that is
     * not the row's, with a leaf that validates behind it, is damage, and reading again would go on
     * for ever.
     */
    static final String VALIDATED = "txn.chain.validated";

    private final TransactionSystem system;
    private final BufferPool pool;
    private final UndoReader undoReader;
    private final UndoVersion undoVersion;

    private int flags;
    private long transactionId;
    private long roll;

    /** The value as stored: inline bytes, or an overflow pointer. */
    private byte[] value;

    private int valueLength;

    /** Whether the value was taken over from the version behind. */
    private boolean valueInherited;

    private byte[] leafValue = new byte[256];

    VersionChain(TransactionSystem system, Workspace workspace) {
        this.system = system;
        this.pool = system.pool();
        this.undoReader = workspace.undoReader;
        this.undoVersion = workspace.version;
    }

    /** What came of it. */
    enum Outcome {
        /** A version is visible; it may be a deletion. */
        FOUND,
        /** The row did not exist for this view. */
        ABSENT,
        /** The row has changed meanwhile: read it again. */
        RESTART,
        /** A writer is getting its commit number: wait for it, then read again. */
        COMMITTING
    }

    /** Room for a value of the leaf, which the caller copies into it. */
    byte[] leafValueRoom(int length) {
        if (leafValue.length < length) {
            leafValue = new byte[Math.max(length, 2 * leafValue.length)];
        }
        return leafValue;
    }

    /** Begins with the record of the leaf; its value was put into {@link #leafValueRoom}. */
    void start(int recordFlags, long writerId, long rollPointer, int length) {
        flags = recordFlags;
        transactionId = writerId;
        roll = rollPointer;
        value = leafValue;
        valueLength = length;
        valueInherited = false;
    }

    boolean isDeleted() {
        return (flags & LeafRecord.DELETED) != 0;
    }

    boolean isOverflow() {
        return (flags & LeafRecord.OVERFLOW) != 0;
    }

    byte[] value() {
        return value;
    }

    int valueLength() {
        return valueLength;
    }

    /** The writer that COMMITTING is about. */
    long transactionId() {
        return transactionId;
    }

    /**
     * Finds the visible version.
     *
     * <p><b>Latches:</b> the position may hold the leaf shared, and may be released on return; no
     * other. The caller is inside an operation epoch and stays there while it follows an overflow
     * pointer that is found.
     *
     * @param ownId the view's own transaction, whose versions it sees, or 0
     * @param leaf holds the leaf if somebody does
     */
    Outcome resolve(
            int treeId,
            byte[] key,
            int keyLength,
            int frame,
            long leafVersion,
            long snapshotLsn,
            long ownId,
            ReadPosition leaf) {
        if (!pool.validate(frame, leafVersion)) {
            return Outcome.RESTART;
        }
        TestHooks.reached(VALIDATED);
        long newestId = transactionId;
        boolean fixed = false;
        while (true) {
            if ((flags & LeafRecord.HAS_VERSION) == 0) {
                boolean sure = !valueInherited || fixed || pool.validate(frame, leafVersion);
                return sure ? Outcome.FOUND : Outcome.RESTART;
            }
            if (transactionId == ownId) {
                return Outcome.FOUND;
            }
            long state = system.table().lookup(transactionId);
            Visibility visibility = Visibility.of(state, snapshotLsn);
            if (leaf.isLatched()
                    && (transactionId != newestId || !TransactionTable.isUnderWay(state))) {
                fixed = true;
                leaf.release();
            }
            if (visibility == Visibility.UNKNOWN) {
                state = spilledState();
                visibility = Visibility.of(state, snapshotLsn);
            }
            if (visibility == Visibility.COMMITTING) {
                return Outcome.COMMITTING;
            }
            if (visibility == Visibility.VISIBLE) {
                boolean sure = fixed || (state != TransactionTable.ABSENT && !valueInherited);
                return sure || pool.validate(frame, leafVersion) ? Outcome.FOUND : Outcome.RESTART;
            }
            system.counters().increment(Counter.VERSIONS_FOLLOWED);
            if (!readUndo(treeId, key, keyLength, leaf)) {
                if (fixed || pool.validate(frame, leafVersion)) {
                    throw broken(treeId);
                }
                return Outcome.RESTART;
            }
            if (undoVersion.type() == UndoEntry.INSERT) {
                return Outcome.ABSENT;
            }
            stepBack();
        }
    }

    private boolean readUndo(int treeId, byte[] key, int keyLength, ReadPosition leaf) {
        boolean loads = !leaf.isLatched();
        UndoReader.Found found =
                undoReader.read(roll, treeId, key, keyLength, transactionId, undoVersion, loads);
        if (found == UndoReader.Found.NOT_RESIDENT) {
            leaf.release();
            found = undoReader.read(roll, treeId, key, keyLength, transactionId, undoVersion, true);
        }
        return found == UndoReader.Found.RECORD;
    }

    private void stepBack() {
        flags = undoVersion.previousFlags();
        transactionId = undoVersion.previousId();
        roll = undoVersion.previousRoll();
        if (undoVersion.type() == UndoEntry.UPDATE) {
            // A copy: the next undo record is read into the same memory.
            valueLength = undoVersion.valueLength();
            value = leafValueRoom(valueLength);
            System.arraycopy(undoVersion.value(), 0, value, 0, valueLength);
        }
        valueInherited = undoVersion.type() == UndoEntry.DELETE;
    }

    private RuntimeException broken(int treeId) {
        long pageId = RollPointer.pageId(roll);
        int spaceId = PageId.spaceId(pageId);
        return new CorruptionException(
                "undo record is not the row's",
                "space-" + Integer.toUnsignedString(spaceId),
                Integer.toUnsignedLong(spaceId),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                "tree="
                        + treeId
                        + ", transactionId="
                        + transactionId
                        + ", offset="
                        + RollPointer.offset(roll),
                undoVersion.toString());
    }

    private long spilledState() {
        long lsn = undoReader.commitLsn(roll, transactionId, undoVersion);
        if (lsn == UndoReader.LOG_GONE) {
            return TransactionTable.ABSENT;
        }
        return lsn == UndoReader.LOG_IS_ACTIVE ? TransactionTable.ACTIVE : lsn;
    }

    /** A copy of the value found, if it is not in an overflow chain. */
    byte[] copyOfValue() {
        return Arrays.copyOf(value, valueLength);
    }
}
