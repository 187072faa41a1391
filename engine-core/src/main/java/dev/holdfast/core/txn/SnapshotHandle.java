// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.Cursor;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import java.nio.ByteBuffer;

/** A snapshot of the API. */
final class SnapshotHandle implements Snapshot, ViewOwner {
    private final TransactionSystem system;
    private final View view;
    private final ViewReads reads;

    SnapshotHandle(TransactionSystem system, View view) {
        this.system = system;
        this.view = view;
        this.reads = new ViewReads(view);
    }

    @Override
    public byte[] get(Table table, byte[] key) {
        return reads.get(table, key);
    }

    @Override
    public int get(Table table, byte[] key, ByteBuffer target) {
        return reads.get(table, key, target);
    }

    @Override
    public boolean contains(Table table, byte[] key) {
        return reads.contains(table, key);
    }

    @Override
    public Cursor cursor(Table table, Range range) {
        return reads.cursor(table, range);
    }

    @Override
    public void awaitDurable() {
        view.enter();
        try {
            system.log().makeDurable(view.snapshotLsn());
        } finally {
            view.exit();
        }
    }

    @Override
    public void close() {
        if (view.isEnded()) {
            return;
        }
        try {
            view.enter();
        } catch (EngineFailedException e) {
            view.finishFailed();
            return;
        } catch (EngineClosedException e) {
            // The engine ends it.
            return;
        }
        view.finish("closed");
    }

    @Override
    public void closeByEngine(long deadlineNanos) {
        view.closedByEngine();
    }
}
