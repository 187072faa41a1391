// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Engine;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.VerifyReport;
import dev.holdfast.core.rig.StoreState.TableState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares what an engine shows with a model, byte for byte. */
final class StoreCheck {
    private StoreCheck() {}

    /** The steps that a store holds, and what that makes its contents. */
    record Found(Set<StepId> steps, StoreState state) {}

    /**
     * Checks I1 to I4: the store holds a possible set of steps, and nothing else.
     *
     * @return what is there
     */
    static Found check(Engine engine, StoreModel model) {
        List<String> names = engine.tables();
        Set<StepId> survivors =
                model.survivors(
                        names, keys(engine, names, "journal.a"), keys(engine, names, "journal.b"));
        StoreState state = model.expected(survivors);
        check(engine, state);
        return new Found(survivors, state);
    }

    /** The store holds these tables and rows and no others. */
    static void check(Engine engine, StoreState expected) {
        assertThat(engine.tables()).as("tables").isEqualTo(expected.names());
        try (Snapshot snapshot = engine.snapshot()) {
            for (Map.Entry<Integer, TableState> table : expected.tables().entrySet()) {
                boolean backwards = table.getKey() % 2 == 1;
                checkRows(engine, snapshot, table.getValue(), backwards);
            }
        }
    }

    private static void checkRows(
            Engine engine, Snapshot snapshot, TableState table, boolean backwards) {
        Range range = backwards ? Range.all().reversed() : Range.all();
        Map<String, Value> rows = backwards ? table.rows.descendingMap() : table.rows;
        try (Cursor cursor = snapshot.cursor(engine.table(table.name), range)) {
            for (Map.Entry<String, Value> row : rows.entrySet()) {
                String found = cursor.next() ? Keys.of(cursor.key()) : null;
                if (!row.getKey().equals(found)) {
                    throw new AssertionError(
                            "another row is there: table="
                                    + table.name
                                    + ", expected="
                                    + Keys.text(row.getKey())
                                    + ", found="
                                    + (found == null ? "none" : Keys.text(found)));
                }
                byte[] value = cursor.value();
                if (!Arrays.equals(value, row.getValue().bytes())) {
                    throw new AssertionError(
                            "another value is there: table="
                                    + table.name
                                    + ", key="
                                    + Keys.text(row.getKey())
                                    + ", expected="
                                    + row.getValue()
                                    + ", foundBytes="
                                    + value.length);
                }
            }
            if (cursor.next()) {
                throw new AssertionError(
                        "a row too much: table="
                                + table.name
                                + ", key="
                                + cursor.key().length
                                + " bytes: "
                                + Keys.text(Keys.of(cursor.key())));
            }
        }
    }

    private static List<String> keys(Engine engine, List<String> names, String table) {
        List<String> keys = new ArrayList<>();
        if (names.contains(table)) {
            try (Snapshot snapshot = engine.snapshot();
                    Cursor cursor = snapshot.cursor(engine.table(table), Range.all())) {
                while (cursor.next()) {
                    keys.add(Keys.of(cursor.key()));
                }
            }
        }
        return keys;
    }

    /** Checks I5. */
    static void verify(Engine engine) {
        VerifyReport report = engine.verify();
        if (!report.isSound()) {
            throw new AssertionError("I5: the store is not sound: " + report.toText());
        }
    }
}
