// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.DuplicateKeyException;
import dev.holdfast.Engine;
import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.RetryableException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Does the steps of one session to an engine, checks each answer, and tells a listener what may
 * have happened and what has. For one thread.
 */
final class SessionRunner {
    private static final int ATTEMPTS_MAX = 1000;

    private final Engine engine;
    private final StepListener listener;
    private final Map<Integer, Table> tables = new HashMap<>();
    private long conflicts;

    /**
     * Makes one for a session.
     *
     * @param state the tables that the session knows
     */
    SessionRunner(Engine engine, StepListener listener, StoreState state) {
        this.engine = engine;
        this.listener = listener;
        state.tables().forEach((number, table) -> tables.put(number, open(table)));
    }

    /** A runner that first makes the tables that all work on. */
    static void setUp(Engine engine, StepListener listener) {
        SessionRunner runner = new SessionRunner(engine, listener, new StoreState());
        Tables.setup().forEach(runner::run);
    }

    /** How often a step was begun again since another session was faster. */
    long conflicts() {
        return conflicts;
    }

    void run(Step step) {
        if (step instanceof TableStep tableStep) {
            listener.committing(step, Map.of());
            change(tableStep);
            listener.acknowledged(step);
        } else {
            TransactionStep transaction = (TransactionStep) step;
            for (int attempt = 0; !tryRun(transaction); attempt++) {
                conflicts++;
                assertThat(attempt).as("attempts of step=%s", step.id()).isLessThan(ATTEMPTS_MAX);
            }
        }
    }

    private Table open(StoreState.TableState table) {
        return engine.table(table.name, options(table.ownSpace));
    }

    private static TableOptions options(boolean ownSpace) {
        return ownSpace ? TableOptions.ownSpace() : TableOptions.shared();
    }

    private void change(TableStep step) {
        switch (step.kind()) {
            case CREATE ->
                    tables.put(step.table(), engine.table(step.name(), options(step.ownSpace())));
            case RENAME -> {
                engine.renameTable(step.formerName(), step.name());
                assertThat(tables.get(step.table()).name()).isEqualTo(step.name());
            }
            case DROP -> {
                engine.dropTable(step.name());
                tables.remove(step.table());
            }
        }
    }

    private boolean tryRun(TransactionStep step) {
        Isolation isolation = step.isolation();
        boolean isCommitting = false;
        try (Transaction transaction =
                engine.begin(TransactionOptions.defaults().isolation(isolation))) {
            step.changes().forEach(change -> execute(transaction, change));
            checkOwnRows(transaction, step);
            Map<Integer, Integer> hotVersions = new TreeMap<>();
            for (int hotKey : step.hotKeys()) {
                hotVersions.put(hotKey, raise(transaction, step, hotKey));
            }
            byte[] journalKey = Keys.bytes(step.id().key());
            byte[] journalValue = step.journalValue().bytes();
            transaction.insert(tables.get(Tables.JOURNAL_A), journalKey, journalValue);
            transaction.insert(tables.get(Tables.JOURNAL_B), journalKey, journalValue);
            if (!step.commits()) {
                transaction.rollback();
                return true;
            }
            listener.committing(step, hotVersions);
            isCommitting = true;
            transaction.commit(step.durability());
            listener.acknowledged(step);
            return true;
        } catch (RetryableException fromAConflict) {
            if (isCommitting || step.hotKeys().isEmpty()) {
                throw fromAConflict;
            }
            return false;
        }
    }

    private void execute(Transaction transaction, Change change) {
        Table table = tables.get(change.table());
        byte[] key = Keys.bytes(change.key());
        long answer =
                switch (change.kind()) {
                    case PUT -> {
                        transaction.put(table, key, change.value().bytes());
                        yield 1;
                    }
                    case INSERT -> insert(transaction, table, key, change.value().bytes());
                    case REPLACE -> one(transaction.replace(table, key, change.value().bytes()));
                    case UPDATE ->
                            one(
                                    transaction.update(
                                            table,
                                            key,
                                            change.expected().bytes(),
                                            change.value().bytes()));
                    case DELETE -> one(transaction.delete(table, key));
                    case DELETE_RANGE ->
                            transaction.deleteRange(
                                    table, Range.closedOpen(key, Keys.bytes(change.to())));
                };
        assertThat(answer).as("answer to %s", change).isEqualTo(change.answer());
    }

    private static long one(boolean isDone) {
        return isDone ? 1 : 0;
    }

    private static long insert(Transaction transaction, Table table, byte[] key, byte[] value) {
        try {
            transaction.insert(table, key, value);
            return 1;
        } catch (DuplicateKeyException isThere) {
            return 0;
        }
    }

    /** The transaction sees what it did, row by row, and so does a cursor of it. */
    private void checkOwnRows(Transaction transaction, TransactionStep step) {
        Map<Integer, NavigableMap<String, Value>> written = new TreeMap<>();
        for (Change change : step.changes()) {
            NavigableMap<String, Value> rows =
                    written.computeIfAbsent(change.table(), table -> new TreeMap<>());
            if (change.kind() == Change.Kind.DELETE_RANGE) {
                checkNothingBetween(transaction, change);
                rows.subMap(change.key(), true, change.to(), false).clear();
            } else if (change.answer() == 1) {
                rows.put(change.key(), change.value());
            }
        }
        written.forEach(
                (table, rows) ->
                        rows.forEach(
                                (key, value) -> {
                                    byte[] found =
                                            transaction.get(tables.get(table), Keys.bytes(key));
                                    byte[] right = value == null ? null : value.bytes();
                                    assertThat(found)
                                            .as("step=%s, key=%s", step.id(), Keys.text(key))
                                            .isEqualTo(right);
                                }));
    }

    private void checkNothingBetween(Transaction transaction, Change change) {
        Range range = Range.closedOpen(Keys.bytes(change.key()), Keys.bytes(change.to()));
        try (Cursor cursor = transaction.cursor(tables.get(change.table()), range)) {
            assertThat(cursor.next()).as("a row after %s", change).isFalse();
        }
    }

    /** Makes the next version of a shared row; whoever else does so comes before or after. */
    private int raise(Transaction transaction, TransactionStep step, int hotKey) {
        Table hot = tables.get(Tables.HOT);
        byte[] key = Keys.bytes(Tables.hotKey(hotKey));
        while (true) {
            byte[] now = transaction.get(hot, key);
            int version = Value.versionOf(now) + 1;
            byte[] value = step.hotValue(hotKey, version).bytes();
            if (step.isolation() == Isolation.SNAPSHOT) {
                transaction.put(hot, key, value);
                return version;
            }
            if (transaction.update(hot, key, now, value)) {
                return version;
            }
        }
    }
}
