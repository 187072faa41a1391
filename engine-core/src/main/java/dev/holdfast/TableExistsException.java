// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** A table cannot be renamed to a name that another one has. */
public final class TableExistsException extends UsageException {
    private static final long serialVersionUID = 1L;

    private final String table;

    public TableExistsException(String table) {
        super("table exists: table=" + table, null);
        this.table = table;
    }

    public String table() {
        return table;
    }
}
