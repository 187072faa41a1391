// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.page.PageId;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Which pages of a space can be handed out: those that are free on their map page, once the group
 * that freed them is published, and that nobody has reserved.
 *
 * <p>Groups are known only after {@link #load}; what is not known is not handed out. Not safe for
 * use by several threads; {@link Space} guards it.
 */
final class FreePages {
    /*
     * One bit a page, set when it can be handed out; one row of longs a group, made when its map
     * page is first looked at, so that opening a large space costs nothing.
     *
     * Placement: behind the page that the caller names, in the same extent; else at the start of an
     * extent that is free as a whole, so that a tree which grows gets runs of its own; else any
     * page, nearest behind. A caller that names no page (a new root) gets the lowest. Extents are
     * counted from their group's start, so that they are whole longs; the last of a group is short.
     * How many extents of a group are wholly free is kept up to date with each bit, for looking
     * through all bits at each allocation would make it linear in the size of the space.
     */
    private static final int WORD_SHIFT = 6;

    private final int pageBytes;
    private final int pagesPerGroup;
    private final int wordsPerExtent;
    private final int wordsPerGroup;

    /** A row of bits a group; null until it is loaded. */
    private long[][] bits = new long[0][];

    /** Bits set in each group's row. */
    private int[] freeIn = new int[0];

    /** Wholly free extents in each group's row. */
    private int[] wholeIn = new int[0];

    /** Unsigned int in a long. */
    private long pageCount;

    private long free;
    private long whole;
    private int groupsLoaded;

    /** Where the last search for any page ended; saves walking over full groups again. */
    private int lastGroup;

    FreePages(int pageBytes, long pageCount) {
        this.pageBytes = pageBytes;
        this.pagesPerGroup = AllocationMap.pagesPerGroup(pageBytes);
        this.wordsPerExtent = AllocationMap.pagesPerExtent(pageBytes) >> WORD_SHIFT;
        this.wordsPerGroup = (pagesPerGroup + Long.SIZE - 1) >> WORD_SHIFT;
        this.pageCount = pageCount;
        resize(groupsFor(pageCount));
    }

    long pageCount() {
        return pageCount;
    }

    int groupCount() {
        return bits.length;
    }

    /** How many pages can be handed out, as far as groups are loaded. */
    long free() {
        return free;
    }

    boolean isLoaded(int group) {
        return bits[group] != null;
    }

    boolean allLoaded() {
        return groupsLoaded == bits.length;
    }

    /** Makes the row of a group, so that {@link #load} needs no memory. */
    long[] newRow() {
        return new long[wordsPerGroup];
    }

    /**
     * Takes over what a map page says; nothing if the group is loaded already. All changes of the
     * page since this call must come here, too.
     *
     * @param row from {@link #newRow}
     */
    void load(int group, long[] row, ByteBuffer chunk, int offset) {
        if (bits[group] != null) {
            return;
        }
        int pages = pagesIn(group);
        int count = 0;
        for (int index = 0; index < pages; index++) {
            if (AllocationMap.entryAt(chunk, offset, index) == AllocationMap.FREE) {
                row[index >> WORD_SHIFT] |= 1L << index;
                count++;
            }
        }
        install(group, row, count);
    }

    /** Raises the number of pages; groups that begin in the new part count as loaded. */
    void grow(long newPageCount) {
        assert newPageCount > pageCount : "new=" + newPageCount + ", old=" + pageCount;

        long from = pageCount;
        int oldGroups = bits.length;
        pageCount = newPageCount;
        resize(groupsFor(newPageCount));
        for (int group = oldGroups; group < bits.length; group++) {
            install(group, newRow(), 0);
        }
        for (long page = from; page < newPageCount; page++) {
            int pageNumber = (int) page;
            if (isLoaded(groupOf(pageNumber))
                    && !AllocationMap.isSystemPage(pageNumber, pageBytes)) {
                give(pageNumber);
            }
        }
    }

    /**
     * Takes pages.
     *
     * @param near the page to be close to, or {@link PageId#NULL_PAGE_NUMBER} for the lowest
     * @return false, and nothing is taken, if there are not so many
     */
    boolean take(int count, int near, int[] target) {
        if (free < count) {
            return false;
        }
        int previous = near;
        for (int i = 0; i < count; i++) {
            previous = takeOne(previous);
            target[i] = previous;
        }
        return true;
    }

    /** Makes a page available; it must not be available, and its group must be loaded. */
    void give(int pageNumber) {
        int group = groupOf(pageNumber);
        int index = Integer.remainderUnsigned(pageNumber, pagesPerGroup);
        long bit = 1L << index;
        long[] row = bits[group];
        assert (row[index >> WORD_SHIFT] & bit) == 0 : "given twice: page=" + pageNumber;

        row[index >> WORD_SHIFT] |= bit;
        freeIn[group]++;
        free++;
        if (isWhole(group, extentOf(index))) {
            wholeIn[group]++;
            whole++;
        }
    }

    boolean isAvailable(int pageNumber) {
        int group = groupOf(pageNumber);
        int index = Integer.remainderUnsigned(pageNumber, pagesPerGroup);
        return isLoaded(group) && (bits[group][index >> WORD_SHIFT] & 1L << index) != 0;
    }

    /**
     * Cuts off the pages from a number on, if all of them but maps are available.
     *
     * @return false, and nothing is changed, if one is not, or is not known to be
     */
    boolean shrink(long newPageCount) {
        for (long page = newPageCount; page < pageCount; page++) {
            int pageNumber = (int) page;
            if (!AllocationMap.isSystemPage(pageNumber, pageBytes) && !isAvailable(pageNumber)) {
                return false;
            }
        }
        for (long page = newPageCount; page < pageCount; page++) {
            int pageNumber = (int) page;
            if (!AllocationMap.isSystemPage(pageNumber, pageBytes)) {
                remove(groupOf(pageNumber), Integer.remainderUnsigned(pageNumber, pagesPerGroup));
            }
        }
        pageCount = newPageCount;
        int groups = groupsFor(newPageCount);
        groupsLoaded -= bits.length - groups;
        resize(groups);
        lastGroup = 0;
        return true;
    }

    /** Counts everything anew and compares; for tests. */
    void checkInvariants() {
        long freeSeen = 0;
        long wholeSeen = 0;
        for (int group = 0; group < bits.length; group++) {
            int inGroup = 0;
            int wholeInGroup = 0;
            if (isLoaded(group)) {
                for (long word : bits[group]) {
                    inGroup += Long.bitCount(word);
                }
                for (int extent = 0; extent <= extentOf(pagesPerGroup - 1); extent++) {
                    wholeInGroup += isWhole(group, extent) ? 1 : 0;
                }
            }
            assert inGroup == freeIn[group] : "group=" + group + ", free=" + freeIn[group];
            assert wholeInGroup == wholeIn[group] : "group=" + group + ", whole=" + wholeIn[group];
            freeSeen += inGroup;
            wholeSeen += wholeInGroup;
        }
        assert freeSeen == free : "seen=" + freeSeen + ", free=" + free;
        assert wholeSeen == whole : "seen=" + wholeSeen + ", whole=" + whole;
    }

    private int takeOne(int near) {
        if (near == PageId.NULL_PAGE_NUMBER) {
            return takeFirstBehind(0, 0);
        }
        // A hint from before the space was cut may lie beyond its end.
        int group = Math.min(groupOf(near), bits.length - 1);
        int index = Integer.remainderUnsigned(near, pagesPerGroup);
        int found = findInExtent(group, extentOf(index), index + 1);
        if (found < 0) {
            found = findInExtent(group, extentOf(index), 0);
        }
        if (found >= 0) {
            return remove(group, found);
        }
        if (whole > 0) {
            return takeFromWholeExtent(group);
        }
        return takeFirstBehind(group, index);
    }

    private int takeFromWholeExtent(int nearGroup) {
        int group = nearGroup;
        while (wholeIn[group] == 0) {
            group = group + 1 == bits.length ? 0 : group + 1;
        }
        int extent = 0;
        while (!isWhole(group, extent)) {
            extent++;
        }
        return remove(group, findInExtent(group, extent, 0));
    }

    private int takeFirstBehind(int nearGroup, int nearIndex) {
        if (freeIn[nearGroup] > 0) {
            int found = find(nearGroup, nearIndex, pagesPerGroup);
            return remove(nearGroup, found >= 0 ? found : find(nearGroup, 0, pagesPerGroup));
        }
        int group = nearGroup == 0 ? 0 : lastGroup;
        while (freeIn[group] == 0) {
            group = group + 1 == bits.length ? 0 : group + 1;
        }
        lastGroup = group;
        return remove(group, find(group, 0, pagesPerGroup));
    }

    private int findInExtent(int group, int extent, int from) {
        int start = (extent * wordsPerExtent) << WORD_SHIFT;
        int end = Math.min(pagesPerGroup, start + (wordsPerExtent << WORD_SHIFT));
        return isLoaded(group) ? find(group, Math.max(from, start), end) : -1;
    }

    /** The first available index from one on and below another, or -1. */
    private int find(int group, int from, int to) {
        long[] row = bits[group];
        int word = from >> WORD_SHIFT;
        long masked = from < to ? row[word] & -1L << from : 0;
        while (masked == 0) {
            word++;
            if (word << WORD_SHIFT >= to) {
                return -1;
            }
            masked = row[word];
        }
        int index = (word << WORD_SHIFT) + Long.numberOfTrailingZeros(masked);
        return index < to ? index : -1;
    }

    private int remove(int group, int index) {
        if (isWhole(group, extentOf(index))) {
            wholeIn[group]--;
            whole--;
        }
        bits[group][index >> WORD_SHIFT] &= ~(1L << index);
        freeIn[group]--;
        free--;
        return group * pagesPerGroup + index;
    }

    /** Whether all pages of an extent but header and map are available. */
    private boolean isWhole(int group, int extent) {
        int from = extent * wordsPerExtent;
        int to = Math.min(wordsPerGroup, from + wordsPerExtent);
        for (int word = from; word < to; word++) {
            long missing = ~bits[group][word];
            if (word == wordsPerGroup - 1 && pagesPerGroup % Long.SIZE != 0) {
                missing &= (1L << pagesPerGroup) - 1;
            }
            if (word == 0) {
                missing &= group == 0 ? ~0b11L : ~0b10L;
            }
            if (missing != 0) {
                return false;
            }
        }
        return true;
    }

    private void install(int group, long[] row, int count) {
        bits[group] = row;
        groupsLoaded++;
        freeIn[group] = count;
        free += count;
        int wholeExtents = 0;
        for (int extent = 0; extent <= extentOf(pagesPerGroup - 1); extent++) {
            wholeExtents += isWhole(group, extent) ? 1 : 0;
        }
        wholeIn[group] = wholeExtents;
        whole += wholeExtents;
    }

    private void resize(int groups) {
        bits = Arrays.copyOf(bits, groups);
        freeIn = Arrays.copyOf(freeIn, groups);
        wholeIn = Arrays.copyOf(wholeIn, groups);
    }

    private int groupOf(int pageNumber) {
        return Integer.divideUnsigned(pageNumber, pagesPerGroup);
    }

    private int extentOf(int index) {
        return (index >> WORD_SHIFT) / wordsPerExtent;
    }

    private int groupsFor(long pages) {
        return (int) ((pages + pagesPerGroup - 1) / pagesPerGroup);
    }

    private int pagesIn(int group) {
        return (int) Math.min(pagesPerGroup, pageCount - (long) group * pagesPerGroup);
    }
}
