// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** How a table is created. Immutable. A table that exists keeps what it was created with. */
public final class TableOptions {
    private static final TableOptions SHARED = new TableOptions(false);
    private static final TableOptions OWN_SPACE = new TableOptions(true);

    private final boolean ownSpace;

    private TableOptions(boolean ownSpace) {
        this.ownSpace = ownSpace;
    }

    /** The table lives in the store's main file: right for many and for small tables. */
    public static TableOptions shared() {
        return SHARED;
    }

    /** The table has a file of its own, which a drop of the table deletes. */
    public static TableOptions ownSpace() {
        return OWN_SPACE;
    }

    /** Says whether the table has a file of its own. */
    public boolean isOwnSpace() {
        return ownSpace;
    }

    @Override
    public String toString() {
        return "TableOptions[ownSpace=" + ownSpace + "]";
    }
}
