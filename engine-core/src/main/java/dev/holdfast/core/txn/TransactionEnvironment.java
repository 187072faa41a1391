// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.btree.OverflowStore;
import dev.holdfast.core.mtr.MtrContext;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.undo.UndoSystem;

/**
 * What the transactions of an engine stand on.
 *
 * @param engine identifies the engine in its table handles
 * @param tableCapacity cells of the transaction table: a power of two
 */
public record TransactionEnvironment(
        String storeName,
        Object engine,
        MtrContext mtrContext,
        UndoSystem undo,
        OperationEpochs epochs,
        OverflowStore overflow,
        TableSource tables,
        int tableCapacity) {}
