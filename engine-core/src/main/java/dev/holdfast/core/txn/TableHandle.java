// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.NoSuchTableException;
import dev.holdfast.Table;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.space.Space;

/** A table as transactions use it: its tree, its name, and whether it was dropped. */
public final class TableHandle implements Table {
    private final Object engine;
    private final BTree tree;
    private final Space space;
    private volatile String name;
    private volatile boolean dropped;

    /**
     * A handle on a table that exists.
     *
     * @param engine what identifies the engine: handles of another one are refused
     */
    public TableHandle(Object engine, String name, BTree tree, Space space) {
        this.engine = engine;
        this.name = name;
        this.tree = tree;
        this.space = space;
    }

    @Override
    public String name() {
        return name;
    }

    public BTree tree() {
        return tree;
    }

    Space space() {
        return space;
    }

    public void renamed(String newName) {
        name = newName;
    }

    /** From now on every use throws. */
    public void dropped() {
        dropped = true;
        tree.dropped();
    }

    public boolean isDropped() {
        return dropped;
    }

    /**
     * What to throw for what an operation met in the tree: a table that is dropped meanwhile may
     * look damaged, since its pages go to others, or its file is not there any more.
     */
    RuntimeException refusal(RuntimeException met) {
        return dropped ? new NoSuchTableException(name) : met;
    }

    /** Returns the handle behind an API table, if it may be used with this engine. */
    static TableHandle of(Table table, Object engine) {
        if (table instanceof TableHandle handle && handle.engine == engine) {
            if (handle.dropped) {
                throw new NoSuchTableException(handle.name);
            }
            return handle;
        }
        if (table == null) {
            throw new NullPointerException("table");
        }
        throw new IllegalArgumentException("table of another engine: table=" + table.name());
    }

    @Override
    public String toString() {
        return "table=" + name;
    }
}
