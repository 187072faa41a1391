// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The model of a store's contents: tables by number, each a sorted map.
 *
 * <p>Tables that tests make along the way have numbers of their own, so that a table keeps its
 * number when it is renamed.
 */
final class StoreState {
    /** A table of the model. */
    static final class TableState {
        final NavigableMap<String, Value> rows;
        final boolean ownSpace;
        String name;

        TableState(String name, boolean ownSpace, NavigableMap<String, Value> rows) {
            this.name = name;
            this.ownSpace = ownSpace;
            this.rows = rows;
        }
    }

    private final NavigableMap<Integer, TableState> tables = new TreeMap<>();

    StoreState copy() {
        StoreState copy = new StoreState();
        tables.forEach(
                (number, table) ->
                        copy.tables.put(
                                number,
                                new TableState(
                                        table.name, table.ownSpace, new TreeMap<>(table.rows))));
        return copy;
    }

    NavigableMap<Integer, TableState> tables() {
        return tables;
    }

    NavigableMap<String, Value> rows(int table) {
        return tables.get(table).rows;
    }

    boolean has(int table) {
        return tables.containsKey(table);
    }

    String name(int table) {
        return tables.get(table).name;
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        for (Map.Entry<Integer, TableState> table : tables.entrySet()) {
            names.add(table.getValue().name);
        }
        names.sort(null);
        return names;
    }

    void create(int table, String name, boolean ownSpace) {
        tables.put(table, new TableState(name, ownSpace, new TreeMap<>()));
    }

    void rename(int table, String name) {
        tables.get(table).name = name;
    }

    void drop(int table) {
        tables.remove(table);
    }

    int rowCount() {
        return tables.values().stream().mapToInt(table -> table.rows.size()).sum();
    }
}
