// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.check;

import dev.holdfast.core.page.PageId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** Which pages have been met as somebody's: one bit a page. Not safe for use by several threads. */
final class PageLedger {
    private final Map<Integer, BitSet> met = new HashMap<>();

    /** Notes a page; false if it was met before. */
    boolean meet(long pageId) {
        BitSet pages = met.computeIfAbsent(PageId.spaceId(pageId), id -> new BitSet());
        int number = PageId.pageNumber(pageId);
        // A page number with the sign bit is beyond any file that one bit a page is kept for.
        if (number < 0 || pages.get(number)) {
            return false;
        }
        pages.set(number);
        return true;
    }

    boolean isMet(int spaceId, int pageNumber) {
        BitSet pages = met.get(spaceId);
        return pages != null && pageNumber >= 0 && pages.get(pageNumber);
    }
}
