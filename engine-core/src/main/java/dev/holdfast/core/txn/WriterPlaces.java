// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.undo.UndoLog;
import dev.holdfast.core.undo.UndoSegment;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;

/**
 * What a transaction needs to write, got with its first change: an undo segment, an id, and a cell
 * of the table. There are some thousands; who finds none waits for another transaction to end.
 */
final class WriterPlaces {
    private final UndoSystem undo;
    private final TransactionTable table;
    private final TransactionIds ids;
    private final SnapshotRegistry registry;
    private final Counters counters;
    private final PlaceWait segments;
    private final PlaceWait cells;

    WriterPlaces(
            UndoSystem undo,
            TransactionTable table,
            TransactionIds ids,
            SnapshotRegistry registry,
            String storeName,
            EngineHealth health,
            Counters counters) {
        this.undo = undo;
        this.table = table;
        this.ids = ids;
        this.registry = registry;
        this.counters = counters;
        this.segments = new PlaceWait("undo segment", storeName, health);
        this.cells = new PlaceWait("transaction slot", storeName, health);
        undo.onFree(segments::freed);
    }

    /**
     * Gives a transaction its place, and begins its log.
     *
     * <p><b>Latches:</b> none held; the mini-transaction is not active.
     *
     * @throws dev.holdfast.LockTimeoutException if there was none in time
     */
    LockOwner take(UndoLog undoLog, MiniTransaction mtr, long timeoutNanos) {
        long start = System.nanoTime();
        UndoSegment segment = segments.get(() -> undo.take(mtr), start, timeoutNanos);
        LockOwner owner = null;
        try {
            owner = cells.get(this::tryEnterTable, start, timeoutNanos);
            undoLog.begin(segment, owner.transactionId());
        } finally {
            if (owner == null) {
                undo.giveBack(segment);
            }
        }
        return owner;
    }

    /** Returns null if every cell was looked at: as many are active as there can be. */
    private LockOwner tryEnterTable() {
        for (int i = 0; i < table.capacity(); i++) {
            LockOwner owner = new LockOwner(ids.next());
            if (table.tryBegin(owner.transactionId(), owner, registry.horizon())) {
                return owner;
            }
            counters.increment(Counter.TRANSACTION_IDS_SKIPPED);
        }
        return null;
    }

    /** To be called after a transaction's cell can be another's. */
    void cellFreed() {
        cells.freed();
    }

    /** Who waits is told that the engine is closed, and nobody waits any more. */
    void close() {
        segments.close();
        cells.close();
    }

    /** How many transactions wait for a place. Racy. */
    int waiting() {
        return segments.waiting() + cells.waiting();
    }
}
