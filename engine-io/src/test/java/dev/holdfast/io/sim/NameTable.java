// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The names of a disk: those that are seen, those that would survive, and the changes between.
 *
 * <p>Names change rarely and are copied often, so each change makes new collections and a copy
 * shares them.
 */
final class NameTable {
    /** Stands for a directory where a file's number is expected. */
    static final int DIRECTORY = -1;

    private SortedMap<String, Integer> visible = new TreeMap<>();
    private SortedMap<String, Integer> durable = new TreeMap<>();
    private List<NameChange> pending = List.of();

    /** Names with nothing pending; the map is not changed afterwards. */
    static NameTable settled(SortedMap<String, Integer> names) {
        NameTable table = new NameTable();
        table.visible = names;
        table.durable = names;
        return table;
    }

    NameTable copy() {
        NameTable copy = new NameTable();
        copy.visible = visible;
        copy.durable = durable;
        copy.pending = pending;
        return copy;
    }

    SortedMap<String, Integer> visible() {
        return Collections.unmodifiableSortedMap(visible);
    }

    List<NameChange> pending() {
        return Collections.unmodifiableList(pending);
    }

    /** The number of the file, {@link #DIRECTORY} for a directory, null if there is none. */
    Integer find(String name) {
        return visible.get(name);
    }

    /** All files that a name leads to, has led to or may lead to after a crash. */
    Set<Integer> inodes() {
        Set<Integer> inodes = new HashSet<>(visible.values());
        inodes.addAll(durable.values());
        for (NameChange change : pending) {
            inodes.add(change.inode());
        }
        return inodes;
    }

    void change(NameChange change) {
        TreeMap<String, Integer> names = new TreeMap<>(visible);
        change.applyTo(names);
        visible = names;
        List<NameChange> changes = new ArrayList<>(pending);
        changes.add(change);
        pending = changes;
    }

    /** What a sync of one directory that began before that event covers. */
    Set<NameChange> pendingOf(String directory, long beganAt) {
        /*
         * A rename between two directories is one step, so the sync of either saves it, and with it
         * all that the other directory's prefix needs: found from the newest change backwards.
         */
        Set<String> saved = new HashSet<>(Set.of(directory));
        Set<NameChange> covered = new HashSet<>();
        for (int i = pending.size() - 1; i >= 0; i--) {
            NameChange change = pending.get(i);
            if (change.sequence() < beganAt && !Collections.disjoint(change.directories(), saved)) {
                saved.addAll(change.directories());
                covered.add(change);
            }
        }
        return covered;
    }

    /** All that was changed before that event. */
    Set<NameChange> pendingBefore(long beganAt) {
        Set<NameChange> covered = new HashSet<>();
        for (NameChange change : pending) {
            if (change.sequence() < beganAt) {
                covered.add(change);
            }
        }
        return covered;
    }

    /** The names that a power loss leaves. */
    SortedMap<String, Integer> survivors(Set<NameChange> lost, DiskFlaw flaw) {
        TreeMap<String, Integer> names = new TreeMap<>(durable);
        Set<String> cut = new HashSet<>();
        for (NameChange change : pending) {
            Set<String> directories = change.directories();
            boolean isCut = !Collections.disjoint(directories, cut);
            if (lost.contains(change) || (isCut && flaw != DiskFlaw.NAMES_OVERTAKE)) {
                cut.addAll(directories);
            } else {
                change.applyTo(names);
            }
        }
        names.keySet().removeIf(name -> !isReachable(names, name));
        return names;
    }

    private static boolean isReachable(SortedMap<String, Integer> names, String name) {
        String directory = NameChange.directoryOf(name);
        return directory.isEmpty() || names.containsKey(directory);
    }

    /** These changes are seen, and no later sync saves them. */
    void forget(Set<NameChange> changes) {
        List<NameChange> left = new ArrayList<>(pending);
        left.removeAll(changes);
        pending = left;
    }

    void makeDurable(Set<NameChange> changes) {
        if (changes.isEmpty()) {
            return;
        }
        TreeMap<String, Integer> names = new TreeMap<>(durable);
        List<NameChange> left = new ArrayList<>();
        for (NameChange change : pending) {
            if (changes.contains(change)) {
                change.applyTo(names);
            } else {
                left.add(change);
            }
        }
        durable = names;
        pending = left;
    }
}
