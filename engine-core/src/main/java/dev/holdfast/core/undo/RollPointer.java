// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.page.PageId;

/**
 * The address of an undo record in eight bytes: space 8, page number 32, offset 16, flags 8 bits.
 *
 * <p>Every version that bears a transaction id bears one, inserts too: the record leads to the
 * header of its undo log, where a transaction that has left the table is looked up.
 */
public final class RollPointer {
    /** Points nowhere; no undo record lies in space 0. */
    public static final long NONE = 0;

    private static final int SPACE_SHIFT = 56;
    private static final int PAGE_SHIFT = 24;
    private static final int OFFSET_SHIFT = 8;
    private static final int SPACE_ID_MAX = 127;

    private RollPointer() {}

    public static long of(long pageId, int offset) {
        int spaceId = PageId.spaceId(pageId);
        assert spaceId > 0 && spaceId <= SPACE_ID_MAX : "spaceId=" + spaceId;
        assert offset > 0 && offset <= 0xFFFF : "offset=" + offset;

        return (long) spaceId << SPACE_SHIFT
                | (PageId.pageNumber(pageId) & 0xFFFF_FFFFL) << PAGE_SHIFT
                | (long) offset << OFFSET_SHIFT;
    }

    public static long pageId(long pointer) {
        return PageId.of((int) (pointer >>> SPACE_SHIFT), (int) (pointer >>> PAGE_SHIFT));
    }

    public static int offset(long pointer) {
        return (int) (pointer >>> OFFSET_SHIFT) & 0xFFFF;
    }
}
