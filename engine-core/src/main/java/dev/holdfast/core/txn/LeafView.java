// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.LeafSnapshot;
import dev.holdfast.core.btree.TreeLimits;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Tally;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/**
 * A copied leaf with, for each row, whether the view sees it. For one cursor at a time; kept by a
 * {@link Workspace} and used again, for other tables too.
 *
 * <p>After each load {@link #decide} looks the writers up, all at once, and validates the leaf
 * after that if one of them was absent (P4). A row whose newest version is hidden is decided when
 * the cursor comes to it.
 */
final class LeafView {
    /** Sync point: the leaf is copied, its writers are not looked up yet. */
    static final String COPIED = "txn.leaf.copied";

    /** After so many loads in vain the next leaf is latched until it is decided. */
    static final int FAILURES_MAX = 8;

    /** The view sees the newest version, and it is not a deletion. */
    static final byte SHOWN = 0;

    /** The view sees the newest version, which is a deletion. */
    static final byte GONE = 1;

    /** An older version is to be sought. */
    static final byte OLDER = 2;

    private final LeafSnapshot leaf;
    private View view;
    private TransactionSystem system;
    private TableHandle table;
    private byte[] states = new byte[128];

    /** Loads in vain since the last decision: a leaf that changed before it was made. */
    private int failures;

    /** For the key where the walk goes on: the longest, and a byte. */
    private final byte[] cut;

    /** With the memory for leaves of the table's store; {@link #attach} comes next. */
    LeafView(TableHandle any, Tally tally) {
        leaf = new LeafSnapshot(any.tree(), tally);
        leaf.scans(true);
        cut = new byte[TreeLimits.keyBytesMax(any.tree().pageBytes()) + 1];
    }

    /** Goes over to another cursor. */
    void attach(View to, TableHandle walked) {
        view = to;
        system = to.system();
        table = walked;
        leaf.attach(walked.tree());
        failures = 0;
    }

    LeafSnapshot leaf() {
        return leaf;
    }

    byte[] cut() {
        return cut;
    }

    int count() {
        return leaf.count();
    }

    byte state(int slot) {
        return states[slot];
    }

    /**
     * Decides for the rows of a leaf that has just been copied.
     *
     * <p><b>Latches:</b> the leaf may be held shared, if the decision was in vain too often; none
     * on return, nor if it throws.
     *
     * @return false if the leaf has changed or a writer had to be waited for: load it again
     */
    boolean decide(long lsn) {
        try {
            return tryDecide(lsn);
        } finally {
            leaf.release();
        }
    }

    private boolean tryDecide(long lsn) {
        TestHooks.reached(COPIED);
        int count = leaf.count();
        if (states.length < count) {
            states = new byte[Math.max(count, 2 * states.length)];
        }
        ByteBuffer chunk = leaf.chunk();
        boolean sawAbsent = false;
        for (int slot = 0; slot < count; slot++) {
            int record = leaf.record(slot);
            int flags = LeafRecord.flags(chunk, record);
            byte state = (flags & LeafRecord.DELETED) == 0 ? SHOWN : GONE;
            if ((flags & LeafRecord.HAS_VERSION) != 0) {
                long writer = LeafRecord.txnId(chunk, record);
                if (writer != view.ownId()) {
                    long found = system.table().lookup(writer);
                    sawAbsent |= found == TransactionTable.ABSENT;
                    Visibility visibility = Visibility.of(found, lsn);
                    if (visibility == Visibility.COMMITTING) {
                        leaf.release();
                        system.awaitCommitted(writer);
                        return false;
                    }
                    state = visibility == Visibility.VISIBLE ? state : OLDER;
                }
            }
            states[slot] = state;
        }
        if (sawAbsent && !leaf.stillValid()) {
            failures++;
            if (failures > FAILURES_MAX) {
                leaf.latchNext();
            }
            return false;
        }
        failures = 0;
        return true;
    }

    /**
     * Seeks the version that the view sees of a row whose newest is hidden. The caller is inside an
     * epoch; what was found is in the workspace's chain.
     */
    VersionChain.Outcome older(int slot, byte[] key, int keyLength, long lsn) {
        VersionChain chain = view.workspace().chain;
        ByteBuffer chunk = leaf.chunk();
        int record = leaf.record(slot);
        int length = LeafRecord.valueLength(chunk, record, leaf.recordLength(slot));
        PageMemory.copyOut(
                chunk, LeafRecord.valueAt(chunk, record), chain.leafValueRoom(length), 0, length);
        chain.start(
                LeafRecord.flags(chunk, record),
                LeafRecord.txnId(chunk, record),
                LeafRecord.roll(chunk, record),
                length);
        system.counters().increment(Counter.CURSOR_OLDER_VERSIONS);
        return chain.resolve(
                table.tree().treeId(),
                key,
                keyLength,
                leaf.frame(),
                leaf.version(),
                lsn,
                view.ownId(),
                view.workspace().read);
    }
}
