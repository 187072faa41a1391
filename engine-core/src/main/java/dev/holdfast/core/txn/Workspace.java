// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.btree.ReadPosition;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.undo.UndoImage;
import dev.holdfast.core.undo.UndoReader;
import dev.holdfast.core.undo.UndoVersion;
import dev.holdfast.core.watch.LocalCounts;
import java.nio.ByteBuffer;

/**
 * The memory that a transaction or snapshot works in. Lent by {@link Workspaces} and used again, so
 * that a statement allocates nothing of it, and a cursor no page. For one thread at a time.
 */
final class Workspace {
    /** More cursors at once than this, and each further one allocates a page. */
    static final int LEAVES_KEPT = 4;

    /** Of all that is done in it. */
    final LocalCounts counts;

    final ReadPosition read;
    final WritePosition write;
    final MiniTransaction mtr;
    final UndoImage image = new UndoImage();
    final UndoVersion version = new UndoVersion();
    final UndoVersion otherVersion = new UndoVersion();
    final UndoReader undoReader;
    final VersionChain chain;
    final byte[] pointer = new byte[OverflowPointer.BYTES];

    /** The same pointer where an undo record can copy it from. */
    final ByteBuffer pointerMemory = ByteBuffer.allocateDirect(OverflowPointer.BYTES);

    /** Leaf copies for cursors, each with a page of direct memory; more than these are not kept. */
    private final LeafView[] leaves = new LeafView[LEAVES_KEPT];

    /** A bit for each of the leaf copies that a cursor has. */
    private int leavesLent;

    Workspace(TransactionSystem system) {
        counts = system.counters().lend();
        read = new ReadPosition(system.pool(), counts);
        write = new WritePosition(system.pool(), counts);
        mtr = new MiniTransaction(system.mtrContext(), counts);
        undoReader = new UndoReader(system.undo());
        chain = new VersionChain(system, this);
    }

    /** Lends a leaf copy to a cursor. */
    LeafView takeLeaf(View view, TableHandle table) {
        for (int i = 0; i < LEAVES_KEPT; i++) {
            if ((leavesLent & 1 << i) == 0) {
                if (leaves[i] == null) {
                    leaves[i] = new LeafView(table, counts);
                }
                leavesLent |= 1 << i;
                leaves[i].attach(view, table);
                return leaves[i];
            }
        }
        LeafView further = new LeafView(table, counts);
        further.attach(view, table);
        return further;
    }

    void giveBackLeaf(LeafView leaf) {
        for (int i = 0; i < LEAVES_KEPT; i++) {
            if (leaves[i] == leaf) {
                leavesLent &= ~(1 << i);
            }
        }
    }

    /** The view has ended, and with it the cursors that were not closed. */
    void reset() {
        leavesLent = 0;
    }
}
