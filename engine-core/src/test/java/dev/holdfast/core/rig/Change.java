// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import java.util.NavigableMap;

/**
 * One statement of a transaction, with what it must answer.
 *
 * @param table number in the model
 * @param key or the lower end of a range
 * @param to the upper end of a range, excluded
 * @param value to be written
 * @param expected what an UPDATE compares with
 * @param answer how many rows the statement is about: 0 or 1, more for a range
 */
record Change(
        Kind kind, int table, String key, String to, Value value, Value expected, int answer) {
    enum Kind {
        PUT,
        /** With answer 0 it must be refused, since the key is there. */
        INSERT,
        REPLACE,
        UPDATE,
        DELETE,
        DELETE_RANGE
    }

    static Change put(int table, String key, Value value) {
        return new Change(Kind.PUT, table, key, null, value, null, 1);
    }

    static Change of(Kind kind, int table, String key, Value value, Value expected, int answer) {
        return new Change(kind, table, key, null, value, expected, answer);
    }

    static Change deleteRange(int table, String from, String to, int answer) {
        return new Change(Kind.DELETE_RANGE, table, from, to, null, null, answer);
    }

    void applyTo(NavigableMap<String, Value> rows) {
        if (answer == 0) {
            return;
        }
        switch (kind) {
            case PUT, INSERT, REPLACE, UPDATE -> rows.put(key, value);
            case DELETE -> rows.remove(key);
            case DELETE_RANGE -> rows.subMap(key, true, to, false).clear();
        }
    }

    @Override
    public String toString() {
        return kind
                + "(table="
                + table
                + ", key="
                + Keys.text(key)
                + (to == null ? "" : ", to=" + Keys.text(to))
                + (value == null ? "" : ", bytes=" + value.length())
                + ", answer="
                + answer
                + ")";
    }
}
