// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;
import dev.holdfast.Isolation;
import java.util.ArrayList;
import java.util.List;

/** The tables that every session works on, and the steps that make them. */
final class Tables {
    static final int ROWS_A = 0;
    static final int ROWS_B = 1;
    static final int ROWS_C = 2;

    /** A row for each committed step; the two lie in different files. */
    static final int JOURNAL_A = 3;

    static final int JOURNAL_B = 4;

    /** Rows that all sessions write. */
    static final int HOT = 5;

    static final int HOT_KEYS = 8;

    /** The tables that sessions make and drop are numbered from here. */
    static final int MADE = 100;

    private static final int SETUP_SESSION = 0;
    private static final List<String> NAMES =
            List.of("rows.a", "rows.b", "rows.c", "journal.a", "journal.b", "hot");

    private Tables() {}

    static List<Step> setup() {
        List<Step> steps = new ArrayList<>();
        for (int table = 0; table < NAMES.size(); table++) {
            boolean ownSpace = table == ROWS_B || table == JOURNAL_B;
            StepId id = new StepId(SETUP_SESSION, 0, table);
            steps.add(TableStep.create(id, table, NAMES.get(table), ownSpace));
        }
        StepId id = new StepId(SETUP_SESSION, 0, NAMES.size());
        List<Change> changes = new ArrayList<>();
        for (int hotKey = 0; hotKey < HOT_KEYS; hotKey++) {
            changes.add(Change.put(HOT, hotKey(hotKey), new Value(id.tag() + hotKey, 0, 40)));
        }
        steps.add(
                new TransactionStep(
                        id, Isolation.SNAPSHOT, Durability.SYNC, true, changes, List.of()));
        return steps;
    }

    static String hotKey(int index) {
        return "hot-" + index;
    }
}
