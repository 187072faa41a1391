// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

/** Where a page lives on disk: space id in the high half, page number in the low half of a long. */
public final class PageId {
    /** No page. */
    public static final int NULL_PAGE_NUMBER = 0xFFFFFFFF;

    /** No page id; no space has the id 0xFFFFFFFF. */
    public static final long NONE = -1L;

    private PageId() {}

    public static long of(int spaceId, int pageNumber) {
        return (long) spaceId << Integer.SIZE | Integer.toUnsignedLong(pageNumber);
    }

    public static int spaceId(long pageId) {
        return (int) (pageId >>> Integer.SIZE);
    }

    public static int pageNumber(long pageId) {
        return (int) pageId;
    }

    /** For messages. */
    public static String describe(long pageId) {
        return "space="
                + Integer.toUnsignedString(spaceId(pageId))
                + ", page="
                + Integer.toUnsignedString(pageNumber(pageId));
    }
}
