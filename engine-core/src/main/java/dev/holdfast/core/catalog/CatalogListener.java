// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

/** Hears of what happens to tables, in the order in which it happens. Must not throw. */
public interface CatalogListener {
    /** The table can be used from now on: it was created, or found at the open. */
    void created(TableDescriptor table);

    void renamed(TableDescriptor table);

    /** The table is dropped for all users; its tree stays until nobody needs it. */
    void dropping(TableDescriptor table);

    /** The tree's pages are about to be freed; nobody will ask for them. */
    void removed(TableDescriptor table);
}
