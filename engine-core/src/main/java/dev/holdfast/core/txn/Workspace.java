// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.btree.OverflowPointer;
import dev.holdfast.core.btree.ReadPosition;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.undo.UndoImage;
import dev.holdfast.core.undo.UndoReader;
import dev.holdfast.core.undo.UndoVersion;
import java.nio.ByteBuffer;

/**
 * The memory that a transaction or snapshot works in. Lent by {@link Workspaces} and used again, so
 * that a statement allocates nothing of it. For one thread at a time.
 */
final class Workspace {
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

    Workspace(TransactionSystem system) {
        read = new ReadPosition(system.pool());
        write = new WritePosition(system.pool());
        mtr = new MiniTransaction(system.mtrContext());
        undoReader = new UndoReader(system.undo());
        chain = new VersionChain(system, this);
    }
}
