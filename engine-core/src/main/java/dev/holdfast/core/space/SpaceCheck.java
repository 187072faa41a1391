// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.buffer.BufferPool;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Walks the allocation maps of a space for the verifier, one group in memory at a time. Entries of
 * one group are of one moment; groups are not.
 */
public final class SpaceCheck {
    /** What is told of each page of the space. */
    @FunctionalInterface
    public interface EntryVisitor {
        /**
         * Called with no latch held.
         *
         * @param state FREE, USED, CONDEMNED or CONDEMNED_CHAIN of {@link AllocationMap}
         * @param owner a tree's id, or one of the owners of {@link AllocationMap}
         */
        void visit(int pageNumber, int state, int owner);
    }

    private final Space space;
    private final BufferPool pool;
    private final int pageBytes;

    public SpaceCheck(Space space) {
        this.space = space;
        this.pool = space.owner().pool();
        this.pageBytes = pool.pageBytes();
    }

    /**
     * Visits every page below the space's page count, in order. A group whose map is damaged is
     * passed by; {@link #check} says so.
     */
    public void visitEntries(EntryVisitor visitor) {
        int perGroup = AllocationMap.pagesPerGroup(pageBytes);
        long[] entries = new long[perGroup];
        long pageCount = space.pageCount();
        for (int group = 0; (long) group * perGroup < pageCount; group++) {
            boolean isRead = readGroup(group, entries).isEmpty();
            for (int index = 0; isRead && index < perGroup; index++) {
                long page = (long) group * perGroup + index;
                if (page < pageCount) {
                    visitor.visit(
                            (int) page,
                            AllocationMap.state(entries[index]),
                            AllocationMap.owner(entries[index]));
                }
            }
        }
    }

    /** Reports what the maps and the header may not say; each finding is one line. */
    public void check(Consumer<String> findings) throws IOException {
        long pageCount = space.pageCount();
        long headerPages = space.headerPageCount();
        if (headerPages != pageCount) {
            findings.accept(
                    "header and memory differ: " + space + ", headerPageCount=" + headerPages);
        }
        long pagesInFile = space.owner().files().pagesInFile(space.spaceId());
        if (pagesInFile < pageCount) {
            findings.accept("file is too short: " + space + ", pagesInFile=" + pagesInFile);
        }
        int perGroup = AllocationMap.pagesPerGroup(pageBytes);
        long[] entries = new long[perGroup];
        for (int group = 0; (long) group * perGroup < pageCount; group++) {
            Optional<CorruptionException> damage = readGroup(group, entries);
            if (damage.isPresent()) {
                findings.accept(
                        "allocation map is damaged, pages of its group are not checked: "
                                + damage.get().getMessage());
                continue;
            }
            for (int index = 0; index < perGroup; index++) {
                long page = (long) group * perGroup + index;
                String fault = fault((int) page, entries[index], page < pageCount);
                if (!fault.isEmpty()) {
                    findings.accept(
                            "allocation map: "
                                    + fault
                                    + ": space="
                                    + space.spaceId()
                                    + ", page="
                                    + page
                                    + ", entry="
                                    + Long.toHexString(entries[index]));
                }
            }
        }
    }

    private String fault(int page, long entry, boolean exists) {
        if (!AllocationMap.isSound(entry)) {
            return "entry is none that is written";
        }
        boolean system = AllocationMap.isSystemPage(page, pageBytes);
        boolean systemOwned =
                entry == AllocationMap.entry(AllocationMap.USED, AllocationMap.SYSTEM_OWNER);
        if (system != systemOwned && exists) {
            return "system page and owner do not agree";
        }
        if (!exists && entry != AllocationMap.FREE) {
            return "page beyond the end is not free";
        }
        boolean undo = AllocationMap.owner(entry) == AllocationMap.UNDO_OWNER;
        boolean undoSpace = SpaceKind.of(space.spaceId()) == SpaceKind.UNDO;
        boolean owned = !system && entry != AllocationMap.FREE;
        return owned && undo != undoSpace ? "owner does not belong into this kind of space" : "";
    }

    /** Reads the entries of a group; returns what is wrong with their map if it is damaged. */
    private Optional<CorruptionException> readGroup(int group, long[] entries) {
        Arrays.fill(entries, 0);
        int frame;
        try {
            frame = pool.fixShared(space.mapPageId(group));
        } catch (CorruptionException damage) {
            return Optional.of(damage);
        }
        for (int index = 0; index < entries.length; index++) {
            entries[index] = AllocationMap.entryAt(pool.chunk(frame), pool.offset(frame), index);
        }
        pool.unfixShared(frame);
        return Optional.empty();
    }
}
