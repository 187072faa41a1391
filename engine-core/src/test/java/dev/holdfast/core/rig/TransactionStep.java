// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;
import dev.holdfast.Isolation;
import java.util.List;

/**
 * A transaction of a session.
 *
 * @param commits whether it ends so; else it is rolled back
 * @param changes of rows that no other session touches meanwhile
 * @param hotKeys the shared rows whose version it raises by one, ascending
 */
record TransactionStep(
        StepId id,
        Isolation isolation,
        Durability durability,
        boolean commits,
        List<Change> changes,
        List<Integer> hotKeys)
        implements Step {

    @Override
    public void applyTo(StoreState state) {
        for (Change change : changes) {
            change.applyTo(state.rows(change.table()));
        }
        state.rows(Tables.JOURNAL_A).put(id.key(), journalValue());
        state.rows(Tables.JOURNAL_B).put(id.key(), journalValue());
    }

    /** What the step writes into both journals. */
    Value journalValue() {
        return Value.of(id.tag() + 0xFFF, 16);
    }

    /** What a shared row holds after the step made it that version. */
    Value hotValue(int hotKey, int version) {
        return new Value(id.tag() + 0xF00 + hotKey, version, 40);
    }
}
