// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a store may hold, given the marks of all that was done to it: the oracle of the crash rigs.
 *
 * <p>{@link #survivors} decides from the journals and the tables' names which steps are there, and
 * demands I1 (what was acknowledged as durable is there), I2 (both journals agree), I3 (what is
 * there is a prefix of the order in which steps were acknowledged and begun) and of I4 that the
 * journals hold nothing else. {@link #expected} is then the only right contents.
 */
final class StoreModel {
    private static final int NEVER = Integer.MAX_VALUE;

    /** What the last thing was that befell the store. */
    enum Loss {
        /** A process died: what was handed to the system is there. */
        PROCESS,
        /** The power went: what was synced is there. */
        POWER
    }

    /** What the marks say of one step. */
    private static final class Entry {
        final Step step;
        final Map<Integer, Integer> hotVersions;
        final int committing;
        int acknowledged = NEVER;
        boolean isDurable;

        /** A recovery found that it had not happened. */
        boolean isDead;

        Entry(Step step, Map<Integer, Integer> hotVersions, int committing) {
            this.step = step;
            this.hotVersions = hotVersions;
            this.committing = committing;
        }

        StepId id() {
            return step.id();
        }

        @Override
        public String toString() {
            return "step="
                    + id()
                    + ", durability="
                    + step.durability()
                    + ", committing="
                    + committing
                    + ", acknowledged="
                    + acknowledged
                    + ", isDurable="
                    + isDurable
                    + ", isDead="
                    + isDead;
        }
    }

    private final Map<StepId, Entry> entries = new LinkedHashMap<>();
    private int recoveries;

    private StoreModel() {}

    /**
     * Reads marks in their order; those of other kinds are left out.
     *
     * @param loss the worst of what came after them
     */
    static StoreModel of(Collection<?> marks, Loss loss) {
        StoreModel model = new StoreModel();
        int position = 0;
        for (Object mark : marks) {
            model.read(mark, position++, loss);
        }
        return model;
    }

    private void read(Object mark, int position, Loss loss) {
        if (mark instanceof Mark.Committing committing) {
            StepId id = committing.step().id();
            entries.put(id, new Entry(committing.step(), committing.hotVersions(), position));
        } else if (mark instanceof Mark.Acknowledged acknowledged) {
            Entry entry = entries.get(acknowledged.step().id());
            entry.acknowledged = position;
            Durability durability = entry.step.durability();
            entry.isDurable =
                    switch (loss) {
                        case PROCESS -> durability != Durability.LAZY;
                        case POWER -> durability == Durability.SYNC;
                    };
        } else if (mark instanceof Mark.Recovered recovered) {
            recoveries++;
            for (Entry entry : entries.values()) {
                entry.isDurable = recovered.steps().contains(entry.id());
                entry.isDead = !entry.isDurable;
            }
        }
    }

    /** How often the store was found in order after a crash. */
    int recoveries() {
        return recoveries;
    }

    /** How many steps there are that may have happened. */
    int stepCount() {
        return entries.size();
    }

    /**
     * Finds out which steps are there.
     *
     * @param tables the names of all tables
     * @param journalA the keys of the journal, without any if there is no such table
     * @param journalB the same of the other journal
     */
    Set<StepId> survivors(
            Collection<String> tables, Collection<String> journalA, Collection<String> journalB) {
        check(
                List.copyOf(journalA).equals(List.copyOf(journalB)),
                "I2: the journals differ: rowsA=%s, rowsB=%s",
                journalA.size(),
                journalB.size());
        Set<StepId> inJournal = new HashSet<>();
        for (String key : journalA) {
            StepId id = StepId.ofKey(key);
            Entry entry = entries.get(id);
            check(entry != null, "I4: a transaction that nobody committed: step=%s", id);
            check(!entry.isDead, "I6: a transaction came back: %s", entry);
            inJournal.add(id);
        }
        Set<StepId> survivors = new HashSet<>();
        for (Entry entry : entries.values()) {
            boolean isThere = inJournal.contains(entry.id());
            if (entry.step instanceof TableStep step && !entry.isDead) {
                isThere = entry.isDurable || step.isDoneIn(tables);
            }
            check(isThere || !entry.isDurable, "I1: an acknowledged step is lost: %s", entry);
            if (isThere) {
                survivors.add(entry.id());
            }
        }
        checkPrefix(survivors);
        return survivors;
    }

    /** I3: a step that had ended before a surviving one began to commit survives too. */
    private void checkPrefix(Set<StepId> survivors) {
        Entry last = null;
        for (Entry entry : entries.values()) {
            if (survivors.contains(entry.id())
                    && (last == null || entry.committing > last.committing)) {
                last = entry;
            }
        }
        for (Entry entry : entries.values()) {
            if (last != null && entry.acknowledged < last.committing && !entry.isDead) {
                check(
                        survivors.contains(entry.id()),
                        "I3: an earlier step is missing: %s; later one: %s",
                        entry,
                        last);
            }
        }
    }

    /** What a store holds in which exactly these steps happened. */
    StoreState expected(Set<StepId> survivors) {
        StoreState state = new StoreState();
        Map<Integer, List<Entry>> byHotKey = new HashMap<>();
        for (Entry entry : entries.values()) {
            if (survivors.contains(entry.id())) {
                entry.step.applyTo(state);
                for (int hotKey : entry.hotVersions.keySet()) {
                    byHotKey.computeIfAbsent(hotKey, key -> new ArrayList<>()).add(entry);
                }
            }
        }
        byHotKey.forEach((hotKey, writers) -> putNewest(state, hotKey, writers));
        return state;
    }

    /** Of a shared row each version up to the newest one was written by one of the steps. */
    private static void putNewest(StoreState state, int hotKey, List<Entry> writers) {
        writers.sort((a, b) -> a.hotVersions.get(hotKey) - b.hotVersions.get(hotKey));
        for (int i = 0; i < writers.size(); i++) {
            int version = writers.get(i).hotVersions.get(hotKey);
            check(
                    version == i + 1,
                    "I3: a version of a shared row is not there once: hotKey=%s, version=%s, %s",
                    hotKey,
                    i + 1,
                    writers.get(i));
        }
        Entry newest = writers.get(writers.size() - 1);
        TransactionStep step = (TransactionStep) newest.step;
        state.rows(Tables.HOT).put(Tables.hotKey(hotKey), step.hotValue(hotKey, writers.size()));
    }

    private static void check(boolean holds, String message, Object... details) {
        if (!holds) {
            throw new AssertionError(String.format(message, details));
        }
    }
}
