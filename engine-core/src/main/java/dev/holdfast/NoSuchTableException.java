// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** There is no table of this name, or the table of this handle was dropped. */
public final class NoSuchTableException extends UsageException {
    private static final long serialVersionUID = 1L;

    private final String table;

    public NoSuchTableException(String table) {
        super("no such table: table=" + table, null);
        this.table = table;
    }

    public String table() {
        return table;
    }
}
