// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.Set;
import java.util.SortedMap;

/**
 * A change of names that no directory sync has saved yet.
 *
 * @param sequence of the event that made it
 * @param kind what is done
 * @param from the name that goes, null if none does
 * @param to the name that comes, null if none does
 * @param inode the file, {@link NameTable#DIRECTORY} for a directory
 */
record NameChange(long sequence, Kind kind, String from, String to, int inode) {
    /** What is done to a name. */
    enum Kind {
        CREATE,
        MAKE_DIRECTORY,
        RENAME,
        DELETE
    }

    /** The directories whose entries it changes. */
    Set<String> directories() {
        if (from == null) {
            return Set.of(directoryOf(to));
        }
        if (to == null || directoryOf(from).equals(directoryOf(to))) {
            return Set.of(directoryOf(from));
        }
        return Set.of(directoryOf(from), directoryOf(to));
    }

    void applyTo(SortedMap<String, Integer> names) {
        if (from != null) {
            names.remove(from);
        }
        if (to != null) {
            names.put(to, inode);
        }
    }

    static String directoryOf(String name) {
        int slash = name.indexOf('/');
        return slash < 0 ? "" : name.substring(0, slash);
    }

    @Override
    public String toString() {
        return kind + (from == null ? "" : " " + from) + (to == null ? "" : " " + to);
    }
}
