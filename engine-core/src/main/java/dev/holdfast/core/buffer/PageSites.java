// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.CoreSites;

/** Which site, and so which rank, a page's latch has: that follows from its address. */
public final class PageSites {
    private static final int UNDO_SPACE_FIRST = 2;
    private static final int UNDO_SPACE_LAST = 9;

    /** Header and trailer of a page, and the size of an entry of an allocation map. */
    private static final int PAGE_OVERHEAD_BYTES = 80;

    private static final int MAP_ENTRY_BYTES = 8;

    private final int pagesPerMap;

    public PageSites(int pageBytes) {
        pagesPerMap = (pageBytes - PAGE_OVERHEAD_BYTES) / MAP_ENTRY_BYTES;
    }

    /** SPACE_PAGE for space headers and allocation maps, UNDO_PAGE in undo spaces, else PAGE. */
    public CoreSites of(long pageId) {
        int pageNumber = PageId.pageNumber(pageId);
        if (pageNumber == 0 || Integer.remainderUnsigned(pageNumber, pagesPerMap) == 1) {
            return CoreSites.SPACE_PAGE;
        }
        int spaceId = PageId.spaceId(pageId);
        return spaceId >= UNDO_SPACE_FIRST && spaceId <= UNDO_SPACE_LAST
                ? CoreSites.UNDO_PAGE
                : CoreSites.PAGE;
    }
}
