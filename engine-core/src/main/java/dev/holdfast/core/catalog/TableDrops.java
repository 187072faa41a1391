// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.space.OwnedPages;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.TestHooks;

/**
 * Takes apart the trees of dropped tables, also of those whose drop a crash interrupted (P19).
 *
 * <p>The leaves are never read: whose pages these are is in the allocation map, so a table with
 * damaged leaves can be dropped.
 *
 * <p>Run by one agent; whoever has dropped a table may run {@link #tryFinish} itself first.
 */
public final class TableDrops implements BackgroundAgent.Body {
    static final String PAGES_FREED = "catalog.drop.pagesFreed";
    static final String ROW_REMOVED = "catalog.drop.rowRemoved";

    private final Catalog catalog;
    private final Spaces spaces;
    private final TreeUsers users;

    public TableDrops(Catalog catalog, TreeUsers users) {
        this.catalog = catalog;
        this.spaces = catalog.spaces();
        this.users = users;
    }

    /** Finishes what can be finished now. Never asks for another round: users end unasked. */
    @Override
    public boolean run() {
        for (TableDescriptor table : catalog.dropping()) {
            boolean isFinished = tryFinish(table);
            assert !isFinished || catalog.byTreeId(table.treeId()).isEmpty()
                    : "still listed: " + table;
        }
        return false;
    }

    /**
     * Frees all that a dropped table has, unless somebody needs its tree.
     *
     * <p><b>Latches:</b> none held, and the caller is inside no operation epoch.
     *
     * @return whether the table is gone
     */
    public boolean tryFinish(TableDescriptor table) {
        if (users.isUsed(table) || !table.claimFreeing()) {
            return false;
        }
        boolean done = false;
        try {
            finish(table);
            done = true;
            return true;
        } catch (CorruptionException damage) {
            leave(damage);
            return false;
        } finally {
            if (!done) {
                table.unclaimFreeing();
            }
        }
    }

    /**
     * The table is dropped as far as anybody can see, so neither its user nor the other drops are
     * to suffer for a map or catalog page that cannot be read; the next round tries again.
     */
    private void leave(CorruptionException damage) {
        if (catalog.context().health().failed()) {
            throw damage;
        }
        catalog.context().counters().increment(Counter.DROPS_LEFT);
        catalog.context().health().damaged(damage, "drop of a table");
    }

    private void finish(TableDescriptor table) {
        catalog.unlist(table);
        table.tree().dropped();
        // Who looked the table up before it was unlisted may still be following pointers in it.
        spaces.epochs().awaitAllOutside();
        int spaceId = table.space().spaceId();
        if (table.isOwnSpace()) {
            spaces.retire(spaceId);
            catalog.removeRow(table);
            TestHooks.reached(ROW_REMOVED);
            catalog.deleteFile(spaceId);
        } else {
            MiniTransaction mtr = new MiniTransaction(catalog.context());
            new OwnedPages(spaces, mtr).freeAll(table.space(), table.treeId());
            TestHooks.reached(PAGES_FREED);
            catalog.removeRow(table);
        }
        catalog.dropped(table);
    }
}
