// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.Cursor;
import dev.holdfast.Range;
import dev.holdfast.Table;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The reads that a snapshot and a transaction have in common: each checks what it was given, enters
 * the view, reads what the statement sees and leaves it again.
 */
final class ViewReads {
    private final TransactionSystem system;
    private final View view;
    private final RowReader reader;

    ViewReads(View view) {
        this.system = view.system();
        this.view = view;
        this.reader = new RowReader(view);
    }

    byte[] get(Table table, byte[] key) {
        Objects.requireNonNull(key, "key");
        view.enter();
        try {
            TableHandle handle = TableHandle.of(table, system.engine());
            return reader.get(handle, key, view.statementLsn());
        } finally {
            leave();
        }
    }

    int get(Table table, byte[] key, ByteBuffer target) {
        Objects.requireNonNull(key, "key");
        RowReader.checkTarget(target);
        view.enter();
        try {
            TableHandle handle = TableHandle.of(table, system.engine());
            return reader.get(handle, key, target, view.statementLsn());
        } finally {
            leave();
        }
    }

    boolean contains(Table table, byte[] key) {
        Objects.requireNonNull(key, "key");
        view.enter();
        try {
            TableHandle handle = TableHandle.of(table, system.engine());
            return reader.contains(handle, key, view.statementLsn());
        } finally {
            leave();
        }
    }

    Cursor cursor(Table table, Range range) {
        Objects.requireNonNull(range, "range");
        view.enter();
        try {
            return new TableCursor(view, TableHandle.of(table, system.engine()), range);
        } finally {
            view.exit();
        }
    }

    private void leave() {
        view.statementEnded();
        view.exit();
    }
}
