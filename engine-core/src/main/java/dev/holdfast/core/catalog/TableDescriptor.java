// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.StoreFiles;
import java.util.concurrent.atomic.AtomicBoolean;

/** A table: what never changes about it, its name, and whether it is being dropped. */
public final class TableDescriptor {
    private final BTree tree;
    private final Space space;

    /** Claimed by whoever takes the table apart; of two that come, one leaves. */
    private final AtomicBoolean beingFreed = new AtomicBoolean();

    /** Replaced as a whole under the catalog's lock; read by anyone. */
    private volatile CatalogRow row;

    TableDescriptor(CatalogRow row, BTree tree, Space space) {
        this.row = row;
        this.tree = tree;
        this.space = space;
    }

    public int treeId() {
        return tree.treeId();
    }

    /** The newest name; the last one if the table is dropped. */
    public String name() {
        return row.name();
    }

    public boolean isDropping() {
        return row.state() == TableState.DROPPING;
    }

    public BTree tree() {
        return tree;
    }

    public Space space() {
        return space;
    }

    public boolean isOwnSpace() {
        return space.spaceId() >= StoreFiles.OWN_SPACE_MIN;
    }

    CatalogRow row() {
        return row;
    }

    void row(CatalogRow changed) {
        row = changed;
    }

    boolean claimFreeing() {
        return beingFreed.compareAndSet(false, true);
    }

    void unclaimFreeing() {
        beingFreed.set(false);
    }

    @Override
    public String toString() {
        return "table=" + row.name() + ", treeId=" + Integer.toUnsignedString(treeId());
    }
}
