// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;

/**
 * Pages set aside for one caller before it latches anything (P9), so that allocating them later can
 * neither fail nor wait. Closing it gives back what was not allocated. Belongs to one thread.
 */
public final class PageReservation implements AutoCloseable {
    private final Space space;
    private final int[] pages;
    private int allocated;

    PageReservation(Space space, int count) {
        this.space = space;
        this.pages = new int[count];
    }

    /** Pages that are not allocated yet. */
    public int left() {
        return pages.length - allocated;
    }

    /** The page that the next allocation gives, or one of those after it. */
    public int pageNumber(int ahead) {
        return pages[allocated + ahead];
    }

    /**
     * Latches the map pages of all pages that are left; before the mini-transaction's first change,
     * after the tree pages.
     */
    public void fixMaps(MiniTransaction mtr) {
        space.fixMaps(mtr, this, new int[0], 0);
    }

    /** Gives back what was not allocated. A second call does nothing. */
    @Override
    public void close() {
        if (allocated < pages.length) {
            space.giveBack(pages, allocated);
            allocated = pages.length;
        }
    }

    int[] pages() {
        return pages;
    }

    int next() {
        assert allocated < pages.length : "reservation is used up: pages=" + pages.length;

        int page = pages[allocated];
        assert page != PageId.NULL_PAGE_NUMBER : "page was never taken";
        allocated++;
        return page;
    }
}
