// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

/**
 * The types of redo records and who owns which range. A type's body belongs to the package whose
 * pages it changes; here stand those that belong to none.
 */
public final class RedoType {
    /** A page begins its life: header and type; recovery need not read what was there. */
    public static final int PAGE_INIT = 1;

    /** The whole page. */
    public static final int PAGE_IMAGE = 2;

    /** Bytes at an offset of the page. */
    public static final int PATCH = 3;

    /** The page is free from here on; what it holds is nobody's. */
    public static final int PAGE_FREE = 4;

    /** The CRC that the page must have after this group; only written in self-check mode. */
    public static final int PAGE_CRC = 5;

    /** The LSN at which this group ends, to be written at an offset of the page. */
    public static final int STAMP_END_LSN = 6;

    /** A space's file exists. */
    public static final int SPACE_CREATE = 16;

    /** A space's file may be gone. */
    public static final int SPACE_DROP = 17;

    /** A space's file may be as short as this. */
    public static final int SPACE_SHRINK = 18;

    /** Ids below these may have been given out. */
    public static final int ID_HIGH_WATER = 19;

    /** First type of the trees. */
    public static final int TREE_FIRST = 32;

    /** Last type of the trees. */
    public static final int TREE_LAST = 63;

    /** No type is above; a record's type is one byte. */
    public static final int LAST = 255;

    private RedoType() {}

    /** Whether records of the type concern a page rather than the store. */
    public static boolean namesPage(int type) {
        return type < SPACE_CREATE || type >= TREE_FIRST;
    }
}
