// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.Cursor;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A snapshot of the API. */
final class SnapshotHandle implements Snapshot, ViewOwner {
    private final TransactionSystem system;
    private final View view;
    private final RowReader reader;

    SnapshotHandle(TransactionSystem system, View view) {
        this.system = system;
        this.view = view;
        this.reader = new RowReader(view);
    }

    @Override
    public byte[] get(Table table, byte[] key) {
        Objects.requireNonNull(key, "key");
        view.enter();
        try {
            return reader.get(TableHandle.of(table, system.engine()), key, view.snapshotLsn());
        } finally {
            view.exit();
        }
    }

    @Override
    public int get(Table table, byte[] key, ByteBuffer target) {
        Objects.requireNonNull(key, "key");
        RowReader.checkTarget(target);
        view.enter();
        try {
            TableHandle handle = TableHandle.of(table, system.engine());
            return reader.get(handle, key, target, view.snapshotLsn());
        } finally {
            view.exit();
        }
    }

    @Override
    public boolean contains(Table table, byte[] key) {
        Objects.requireNonNull(key, "key");
        view.enter();
        try {
            return reader.contains(TableHandle.of(table, system.engine()), key, view.snapshotLsn());
        } finally {
            view.exit();
        }
    }

    @Override
    public Cursor cursor(Table table, Range range) {
        Objects.requireNonNull(range, "range");
        view.enter();
        try {
            return new TableCursor(view, TableHandle.of(table, system.engine()), range);
        } finally {
            view.exit();
        }
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
