// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of an allocation map page: the state and the owner of each page of one group.
 *
 * <p>The byte table is {@code docs/format/allocation-map.md}. Group <i>g</i> is the pages from g ×
 * M on, M being {@link #pagesPerGroup}; its map is page g × M + 1, so that page 0 of a space can be
 * its header. Page numbers are unsigned.
 *
 * <p><b>Latches:</b> none taken. Getters need the page latched or validated; setters exclusively.
 */
public final class AllocationMap {
    public static final int ENTRIES_OFFSET = PageHeader.BODY_OFFSET;

    /** Counted from an entry's start, as are the next two. */
    static final int STATE_OFFSET = 0;

    static final int RESERVED_OFFSET = STATE_OFFSET + Byte.BYTES;
    static final int OWNER_OFFSET = RESERVED_OFFSET + 3;

    static final int ENTRY_BYTES = OWNER_OFFSET + Integer.BYTES;

    /** Can be allocated; the owner is zero. */
    public static final int FREE = 0;

    /** Belongs to its owner. */
    public static final int USED = 1;

    /** Unlinked, but somebody may still read it (P6). */
    public static final int CONDEMNED = 2;

    /** The same, and the head of a chain whose other pages are still USED. */
    public static final int CONDEMNED_CHAIN = 3;

    /** Owns headers and maps. */
    public static final int SYSTEM_OWNER = 0;

    /** Owns the pages of undo spaces; no tree has this id. */
    public static final int UNDO_OWNER = 0xFFFFFFFE;

    /** Whom {@link Space#ownerOf} names for a page that nobody owns; no tree has this id. */
    public static final int NO_OWNER = 0xFFFFFFFF;

    /** The first page of a space that is neither header nor map. */
    public static final int FIRST_FREE_PAGE = 2;

    private static final int MAP_INDEX = 1;
    private static final int PAGE_OVERHEAD = PageHeader.BODY_OFFSET + Long.BYTES;
    private static final long RESERVED_BITS = 0x0000_0000_FFFF_FF00L;
    private static final int STATE_MASK = 0xFF;

    static {
        assert ENTRIES_OFFSET % ENTRY_BYTES == 0 : "an entry is read with one aligned access";
        assert ENTRY_BYTES == Long.BYTES : "an entry is one long";
    }

    private AllocationMap() {}

    /** The number of pages that one map page describes. */
    public static int pagesPerGroup(int pageBytes) {
        return (pageBytes - PAGE_OVERHEAD) / ENTRY_BYTES;
    }

    /** The number of pages that are allocated together and that a file grows by. */
    public static int pagesPerExtent(int pageBytes) {
        return Math.max(64, (1 << 20) / pageBytes);
    }

    /** The group of a page. */
    public static int groupOf(int pageNumber, int pageBytes) {
        return Integer.divideUnsigned(pageNumber, pagesPerGroup(pageBytes));
    }

    /** The place of a page in its group. */
    public static int indexOf(int pageNumber, int pageBytes) {
        return Integer.remainderUnsigned(pageNumber, pagesPerGroup(pageBytes));
    }

    /** The map page of a group. */
    public static int mapPage(int group, int pageBytes) {
        return group * pagesPerGroup(pageBytes) + MAP_INDEX;
    }

    /** Whether a page is the header or a map. */
    public static boolean isSystemPage(int pageNumber, int pageBytes) {
        return pageNumber == SpaceHeader.PAGE_NUMBER || indexOf(pageNumber, pageBytes) == MAP_INDEX;
    }

    /** An entry as one long. */
    public static long entry(int state, int owner) {
        return (long) owner << Integer.SIZE | state;
    }

    public static int state(long entry) {
        return (int) entry & STATE_MASK;
    }

    public static int owner(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }

    /** The offset in the page of the entry with that index. */
    public static int entryOffset(int index) {
        return ENTRIES_OFFSET + index * ENTRY_BYTES;
    }

    public static long entryAt(ByteBuffer chunk, int offset, int index) {
        return PageMemory.getLong(chunk, offset + entryOffset(index));
    }

    /** Whether an entry is one that is ever written. */
    static boolean isSound(long entry) {
        if (entry == FREE) {
            return true;
        }
        int state = state(entry);
        int owner = owner(entry);
        boolean ownerFits = owner != NO_OWNER && (owner != SYSTEM_OWNER || state == USED);
        return (entry & RESERVED_BITS) == 0
                && state != FREE
                && state <= CONDEMNED_CHAIN
                && ownerFits;
    }

    /** Writes a whole map page of which only the system pages are in use; its page LSN is zero. */
    static void initialize(ByteBuffer chunk, int offset, int pageBytes, long pageId, int group) {
        PageMemory.fill(chunk, offset, pageBytes, (byte) 0);
        PageHeader.initialize(
                chunk, offset, pageBytes, pageId, SYSTEM_OWNER, PageType.ALLOCATION_MAP);
        initializeEntries(chunk, offset, pageBytes, group);
    }

    /** Writes the entries of a map page of which only the system pages are in use. */
    static void initializeEntries(ByteBuffer chunk, int offset, int pageBytes, int group) {
        PageMemory.fill(
                chunk, offset + ENTRIES_OFFSET, pagesPerGroup(pageBytes) * ENTRY_BYTES, (byte) 0);
        long system = entry(USED, SYSTEM_OWNER);
        if (group == 0) {
            PageMemory.putLong(chunk, offset + entryOffset(SpaceHeader.PAGE_NUMBER), system);
        }
        PageMemory.putLong(chunk, offset + entryOffset(MAP_INDEX), system);
    }
}
