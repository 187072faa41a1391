// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.core.catalog.CatalogListener;
import dev.holdfast.core.catalog.TableDescriptor;
import dev.holdfast.core.txn.TableHandle;
import dev.holdfast.core.txn.TableSource;
import java.util.concurrent.ConcurrentHashMap;

/** The one handle of each table, kept in step with the catalog. Lookups take no latch. */
final class Tables implements CatalogListener, TableSource {
    private final Object engine;
    private final ConcurrentHashMap<Integer, TableHandle> byTreeId = new ConcurrentHashMap<>();

    /**
     * None yet.
     *
     * @param engine what identifies the engine in its handles
     */
    Tables(Object engine) {
        this.engine = engine;
    }

    @Override
    public void created(TableDescriptor table) {
        byTreeId.put(
                table.treeId(), new TableHandle(engine, table.name(), table.tree(), table.space()));
    }

    @Override
    public void renamed(TableDescriptor table) {
        handle(table).renamed(table.name());
    }

    @Override
    public void dropping(TableDescriptor table) {
        handle(table).dropped();
    }

    @Override
    public void removed(TableDescriptor table) {
        byTreeId.remove(table.treeId());
    }

    @Override
    public TableHandle byTreeId(int treeId) {
        return byTreeId.get(treeId);
    }

    /** The handle of a table that the catalog lists. */
    TableHandle handle(TableDescriptor table) {
        return byTreeId.get(table.treeId());
    }
}
