// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** Keeps workspaces that nobody uses just now. Safe for all threads; takes no latch. */
final class Workspaces {
    /*
     * Not a thread-local: threads may be virtual and many. A few cells a processor, a cache line
     * and more apart, are looked at from a place that depends on the thread, so on a quiet machine
     * a thread finds the one that it used last.
     */
    private static final int CELL_STRIDE = 16;
    private static final int LOOKS = 4;

    private final TransactionSystem system;
    private final AtomicReferenceArray<Workspace> cells;
    private final int cellMask;

    Workspaces(TransactionSystem system) {
        this.system = system;
        int wanted = 4 * Runtime.getRuntime().availableProcessors();
        int count = Integer.highestOneBit(2 * wanted - 1);
        this.cellMask = count - 1;
        this.cells = new AtomicReferenceArray<>(count * CELL_STRIDE);
    }

    Workspace take() {
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < LOOKS; i++) {
            int cell = (first + i & cellMask) * CELL_STRIDE;
            if (cells.getPlain(cell) != null) {
                Workspace workspace = cells.getAndSet(cell, null);
                if (workspace != null) {
                    return workspace;
                }
            }
        }
        return new Workspace(system);
    }

    /** Keeps it for others, or lets it go if there are enough. Its thread is done with it. */
    void giveBack(Workspace workspace) {
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < LOOKS; i++) {
            int cell = (first + i & cellMask) * CELL_STRIDE;
            if (cells.getPlain(cell) == null && cells.compareAndSet(cell, null, workspace)) {
                return;
            }
        }
        system.counters().giveBack(workspace.counts);
    }
}
