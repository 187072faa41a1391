// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;
import dev.holdfast.Isolation;
import dev.holdfast.core.rig.StoreState.TableState;
import dev.holdfast.io.sim.SeededRandom;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What one session does, step by step: a pure function of seed, session, generation and the rows
 * that the session has.
 *
 * <p>A session writes keys that are its own, which lie between those of the other sessions, so that
 * its model is right whatever the others do; and it counts up shared rows, whose versions show the
 * order of those who wrote them.
 */
final class SessionScript {
    private static final double ROLLED_BACK = 0.12;
    private static final double RUN = 0.14;
    private static final double TABLE_STEP = 0.05;
    private static final int TABLES_OF_SESSION = 1_000_000;

    private final SeededRandom seed;
    private final int session;
    private final ScriptShape shape;
    private int generation;
    private int sequence;
    private StoreState state;

    /** A session that has no rows yet. */
    SessionScript(long seed, int session, ScriptShape shape) {
        this.seed = new SeededRandom(seed).derive("session").derive(session);
        this.session = session;
        this.shape = shape;
        this.state = new StoreState();
        for (Step step : Tables.setup()) {
            if (step instanceof TableStep) {
                step.applyTo(state);
            }
        }
    }

    /** Goes on from other rows, under names that were never used. */
    void restart(int newGeneration, StoreState newState) {
        generation = newGeneration;
        sequence = 0;
        state = newState;
    }

    StoreState state() {
        return state;
    }

    /** Does again, in the model alone, what is behind the session in each generation. */
    void replay(String counts) {
        String[] fields = counts.split(",", -1);
        for (int i = 0; i < fields.length && !counts.isEmpty(); i++) {
            restart(i, state);
            for (int left = Integer.parseInt(fields[i]); left > 0; left--) {
                next();
            }
        }
    }

    /** How many steps are behind it in each generation, in the form that {@link #replay} takes. */
    static String history(List<Integer> counts) {
        return counts.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** The next step; if it commits, {@link #state} is from now on that after it. */
    Step next() {
        StepId id = new StepId(session, generation, sequence++);
        SeededRandom random = seed.derive(id.tag());
        Step step = random.chance(TABLE_STEP) ? tableStep(id, random) : transactionStep(id, random);
        if (!(step instanceof TransactionStep transaction) || transaction.commits()) {
            step.applyTo(state);
        }
        return step;
    }

    private TableStep tableStep(StepId id, SeededRandom random) {
        List<Integer> made = new ArrayList<>(state.tables().tailMap(Tables.MADE).keySet());
        if (made.size() < shape.tablesMax()) {
            int table = Tables.MADE + session * TABLES_OF_SESSION + generation * 10_000;
            table += id.sequence();
            return TableStep.create(id, table, "made." + id, random.nextBoolean());
        }
        int table = random.pick(made);
        String name = state.name(table);
        if (!name.endsWith("'") && random.nextBoolean()) {
            return TableStep.rename(id, table, name, name + "'");
        }
        return TableStep.drop(id, table, name);
    }

    private TransactionStep transactionStep(StepId id, SeededRandom random) {
        Statements statements = new Statements(id, random);
        if (random.chance(RUN)) {
            statements.run();
        } else {
            statements.mixed();
        }
        TreeSet<Integer> hotKeys = new TreeSet<>();
        for (int i = random.oneIn(3) ? random.between(1, 3) : 0; i > 0; i--) {
            hotKeys.add(random.nextInt(Tables.HOT_KEYS));
        }
        Durability durability =
                random.pickOf(
                        Durability.SYNC,
                        Durability.SYNC,
                        Durability.SYNC,
                        Durability.WRITE,
                        Durability.LAZY,
                        Durability.LAZY);
        return new TransactionStep(
                id,
                random.nextBoolean() ? Isolation.SNAPSHOT : Isolation.READ_COMMITTED,
                durability,
                !random.chance(ROLLED_BACK),
                statements.changes,
                List.copyOf(hotKeys));
    }

    /** Collects the changes of one transaction on copies of the tables that it touches. */
    private final class Statements {
        final List<Change> changes = new ArrayList<>();
        private final StepId id;
        private final SeededRandom random;
        private final Map<Integer, NavigableMap<String, Value>> touched = new TreeMap<>();

        Statements(StepId id, SeededRandom random) {
            this.id = id;
            this.random = random;
        }

        private NavigableMap<String, Value> rows(int table) {
            return touched.computeIfAbsent(table, number -> new TreeMap<>(state.rows(number)));
        }

        private int pickTable() {
            List<Integer> made = new ArrayList<>(state.tables().tailMap(Tables.MADE).keySet());
            if (!made.isEmpty() && random.oneIn(4)) {
                return random.pick(made);
            }
            return random.nextInt(Tables.ROWS_C + 1);
        }

        private void add(Change change) {
            change.applyTo(rows(change.table()));
            changes.add(change);
        }

        private Value newValue(int length) {
            return Value.of(id.tag() + changes.size(), length);
        }

        private Value newValue() {
            int inline = shape.inlineBytesMax();
            int length =
                    switch (random.nextInt(24)) {
                        case 0 -> 0;
                        case 1 -> 1;
                        case 2, 3 -> random.between(inline - 60, inline + 60);
                        case 4 -> random.between(inline + 1, shape.overflowBytesMax());
                        case 5, 6, 7 -> random.between(100, inline);
                        default -> random.between(10, 100);
                    };
            return newValue(length);
        }

        /** One to eight statements of all kinds. */
        void mixed() {
            for (int i = random.between(1, 8); i > 0; i--) {
                int table = pickTable();
                String key = random.oneIn(2) ? existingKey(table) : null;
                statement(table, key == null ? ownKey() : key);
            }
        }

        private void statement(int table, String key) {
            Value now = rows(table).get(key);
            int there = now == null ? 0 : 1;
            switch (random.nextInt(10)) {
                case 0 ->
                        add(Change.of(Change.Kind.INSERT, table, key, newValue(), null, 1 - there));
                case 1 -> add(Change.of(Change.Kind.REPLACE, table, key, newValue(), null, there));
                case 2, 3 -> update(table, key, now);
                case 4, 5, 6 -> add(Change.of(Change.Kind.DELETE, table, key, null, null, there));
                default -> add(Change.put(table, key, newValue()));
            }
        }

        private void update(int table, String key, Value now) {
            boolean isRight = now != null && !random.oneIn(4);
            Value expected = isRight ? now : Value.of(id.tag() + 0xE00, 9);
            add(Change.of(Change.Kind.UPDATE, table, key, newValue(), expected, isRight ? 1 : 0));
        }

        /** Many neighbouring rows come, or many go. */
        void run() {
            int table = pickTable();
            int run = random.nextInt(3);
            String prefix = "r" + (char) session + (char) run;
            NavigableMap<String, Value> there =
                    rows(table).subMap(prefix, true, Keys.afterPrefix(prefix), false);
            if (!there.isEmpty()) {
                deleteRun(table, prefix, there);
                return;
            }
            int count = random.between(shape.runRows() / 2, shape.runRows());
            boolean isDescending = random.nextBoolean();
            for (int i = 0; i < count; i++) {
                int at = isDescending ? count - i : i;
                String key = prefix + (char) (at >> 8) + (char) (at & 0xFF);
                add(Change.put(table, key, newValue(random.between(60, 240))));
            }
        }

        private void deleteRun(int table, String prefix, NavigableMap<String, Value> there) {
            int count = there.size();
            if (random.oneIn(4)) {
                for (String key : List.copyOf(there.keySet())) {
                    add(Change.of(Change.Kind.DELETE, table, key, null, null, 1));
                }
            } else {
                add(Change.deleteRange(table, prefix, Keys.afterPrefix(prefix), count));
            }
        }

        /** A key that no other session has, of any shape. */
        private String ownKey() {
            char mine = (char) session;
            int which = random.nextInt(20);
            return switch (random.nextInt(12)) {
                case 0 -> "\0".repeat(which) + mine;
                case 1 -> "\u00ff".repeat(which) + mine;
                case 2 -> "a shared and rather long prefix of many keys/" + mine + which;
                case 3 -> "m".repeat(400 + which) + mine;
                case 4 -> session == 1 && which == 0 ? "" : "\u00ff\0".repeat(which) + mine;
                default -> "k" + (char) random.nextInt(256) + mine + (char) (which << 3);
            };
        }

        /** One of the session's keys, or null if it has none there. */
        private String existingKey(int table) {
            NavigableMap<String, Value> rows = rows(table);
            if (rows.isEmpty()) {
                return null;
            }
            int skip = random.nextInt(rows.size());
            Iterator<String> keys = rows.keySet().iterator();
            while (skip-- > 0) {
                keys.next();
            }
            return keys.next();
        }
    }

    /** The rows of the session's part of a table, for messages. */
    @Override
    public String toString() {
        int rows = 0;
        for (TableState table : state.tables().values()) {
            rows += table.rows.size();
        }
        return "session=" + session + ", generation=" + generation + ", rows=" + rows;
    }
}
