// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.EngineException;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.space.StoreFiles;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Compares the rows of the catalog with each other and with the spaces, for the verifier. */
public final class CatalogCheck {
    private final Catalog catalog;
    private final Spaces spaces;

    public CatalogCheck(Catalog catalog) {
        this.catalog = catalog;
        this.spaces = catalog.spaces();
    }

    /** Reports what does not agree; each finding is one line. No table is changed meanwhile. */
    public void check(Consumer<String> findings) {
        List<CatalogRow> rows;
        try {
            rows = catalog.rowsOnDisk();
        } catch (EngineException damage) {
            findings.accept("catalog cannot be read: " + damage.getMessage());
            return;
        }
        Map<String, CatalogRow> names = new HashMap<>();
        Set<Integer> ownSpaces = new HashSet<>();
        for (CatalogRow row : rows) {
            boolean isActive = row.state() == TableState.ACTIVE;
            CatalogRow twin = isActive ? names.put(row.name(), row) : null;
            if (twin != null) {
                findings.accept("two tables have one name: " + twin + ", " + row);
            }
            checkRow(row, ownSpaces, findings);
        }
        // The file of a drop goes last, after the row.
        for (TableDescriptor table : catalog.dropping()) {
            ownSpaces.add(table.space().spaceId());
        }
        for (int spaceId : spaces.files().spaceIds()) {
            if (spaceId >= StoreFiles.OWN_SPACE_MIN && !ownSpaces.contains(spaceId)) {
                findings.accept("no row names the space: space=" + spaceId);
            }
        }
    }

    private void checkRow(CatalogRow row, Set<Integer> ownSpaces, Consumer<String> findings) {
        boolean isListed = catalog.byTreeId(row.treeId()).isPresent();
        if (!isListed && row.state() == TableState.ACTIVE) {
            findings.accept("row is not in memory: " + row);
        }
        int spaceId = row.spaceId();
        boolean isOwn = spaceId >= StoreFiles.OWN_SPACE_MIN;
        if (isOwn && !ownSpaces.add(spaceId)) {
            findings.accept("two tables have one space: " + row);
        }
        if (!isOwn && spaceId != StoreFiles.MAIN_SPACE) {
            findings.accept("table is in a space that is not for tables: " + row);
        }
        if (!isListed || row.state() == TableState.DROPPING) {
            // Of a table that is being dropped any part may be gone, its root too.
            return;
        }
        if (!spaces.contains(spaceId)) {
            findings.accept("table's space is not there: " + row);
        } else if (spaces.get(spaceId).ownerOf(row.rootPage()) != row.treeId()) {
            findings.accept("root page has another owner: " + row);
        }
    }
}
