// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * All that a disk holds at one moment; changed by {@link Event}s alone.
 *
 * <p>The running disk and the replay of its trace use this same class, so that they cannot differ.
 * Not safe for use by several threads while one changes it; a copy that nobody changes may be
 * copied by many at once.
 */
final class DiskState {
    private final NameRules nameRules;
    private final DiskFlaw flaw;
    private final NameTable names;
    private final Map<Integer, FileState> files;
    private long sequence;
    private int inodesMade;

    DiskState(NameRules nameRules) {
        this(nameRules, DiskFlaw.NONE);
    }

    DiskState(NameRules nameRules, DiskFlaw flaw) {
        this(nameRules, flaw, new NameTable(), new HashMap<>());
    }

    private DiskState(
            NameRules nameRules, DiskFlaw flaw, NameTable names, Map<Integer, FileState> files) {
        this.nameRules = nameRules;
        this.flaw = flaw;
        this.names = names;
        this.files = files;
    }

    DiskState copy() {
        Map<Integer, FileState> fileCopies = new HashMap<>(files.size() * 2);
        files.forEach((inode, file) -> fileCopies.put(inode, file.copy()));
        DiskState copy = new DiskState(nameRules, flaw, names.copy(), fileCopies);
        copy.sequence = sequence;
        copy.inodesMade = inodesMade;
        return copy;
    }

    NameRules nameRules() {
        return nameRules;
    }

    DiskFlaw flaw() {
        return flaw;
    }

    NameTable names() {
        return names;
    }

    FileState file(int inode) {
        return files.get(inode);
    }

    /** Files, also those that have no name any more. */
    Map<Integer, FileState> files() {
        return files;
    }

    /** The number of the next event; grows over crashes too. */
    long sequence() {
        return sequence;
    }

    /** The number that the next created file gets. */
    int nextInode() {
        return inodesMade;
    }

    void apply(Event event) {
        event.applyTo(this);
        sequence++;
    }

    void createFile(int inode) {
        files.put(inode, new FileState());
        inodesMade = inode + 1;
    }

    /** Forgets a file that no name leads to and nobody has open. */
    void forget(int inode) {
        files.remove(inode);
    }

    /** What a power loss leaves: a disk with nothing pending. */
    DiskState survivor(Survival survival) {
        SortedMap<String, Integer> survivingNames = names.survivors(survival.lostNames(), flaw);
        Map<Integer, FileState> survivingFiles = new HashMap<>(files.size() * 2);
        for (int inode : survivingNames.values()) {
            if (inode != NameTable.DIRECTORY) {
                survivingFiles.computeIfAbsent(
                        inode, number -> FileState.settled(files.get(number).survivor(survival)));
            }
        }
        DiskState survivor =
                new DiskState(nameRules, flaw, NameTable.settled(survivingNames), survivingFiles);
        survivor.sequence = sequence;
        survivor.inodesMade = inodesMade;
        return survivor;
    }

    /** Of names, lengths and bytes; also of what is pending, if anything is. */
    long hash() {
        long hash = 0;
        for (Map.Entry<String, Integer> entry : names.visible().entrySet()) {
            long nameHash = 0;
            for (int i = 0; i < entry.getKey().length(); i++) {
                nameHash = SeededRandom.mix(nameHash + entry.getKey().charAt(i));
            }
            FileState file = files.get(entry.getValue());
            hash += SeededRandom.mix(nameHash ^ (file == null ? 0 : file.hash()));
        }
        return names.pending().isEmpty() ? hash : SeededRandom.mix(hash + names.pending().size());
    }

    /** Blocks that the files with such a name occupy. */
    long allocatedBlocks(Predicate<String> ofNames) {
        long count = 0;
        for (Map.Entry<String, Integer> entry : names.visible().entrySet()) {
            if (entry.getValue() != NameTable.DIRECTORY && ofNames.test(entry.getKey())) {
                count += files.get(entry.getValue()).visible().allocatedCount();
            }
        }
        return count;
    }
}
