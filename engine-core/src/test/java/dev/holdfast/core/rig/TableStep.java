// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;

/**
 * A table is created, renamed or dropped: atomic and durable at once, beside all transactions.
 *
 * @param table the number of the table in the model
 * @param name after the step, or before it if the table is dropped
 * @param formerName if it is renamed
 * @param ownSpace if it is created
 */
record TableStep(StepId id, Kind kind, int table, String name, String formerName, boolean ownSpace)
        implements Step {
    enum Kind {
        CREATE,
        RENAME,
        DROP
    }

    static TableStep create(StepId id, int table, String name, boolean ownSpace) {
        return new TableStep(id, Kind.CREATE, table, name, null, ownSpace);
    }

    static TableStep rename(StepId id, int table, String from, String to) {
        return new TableStep(id, Kind.RENAME, table, to, from, false);
    }

    static TableStep drop(StepId id, int table, String name) {
        return new TableStep(id, Kind.DROP, table, name, null, false);
    }

    @Override
    public Durability durability() {
        return Durability.SYNC;
    }

    /** Whether a store with these tables is one after the step; names are never used again. */
    boolean isDoneIn(java.util.Collection<String> tables) {
        return (kind == Kind.DROP) != tables.contains(name);
    }

    @Override
    public void applyTo(StoreState state) {
        switch (kind) {
            case CREATE -> state.create(table, name, ownSpace);
            case RENAME -> state.rename(table, name);
            case DROP -> state.drop(table);
        }
    }
}
