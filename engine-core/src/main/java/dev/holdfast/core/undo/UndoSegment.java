// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.page.PageId;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A chain of undo pages that one transaction at a time appends to.
 *
 * <p>Ends at two places that do not meet: its owner works at the tail, purge at the head.
 */
public final class UndoSegment {
    /*
     *   field                     written by                      guard or mode
     *   tailPage … logOffset      the owner                       handed on with the segment itself,
     *                                                             through the stack of free ones
     *   purgePage, purgeOffset,   purge                           one purge agent; before it, open
     *   headPage
     *   announced                 committers set it, purge        CAS; who turns it true hands the
     *                             clears it                       segment to purge
     *   nextFree, nextAnnounced   who pushes it                   release with the stack's head
     *
     * Purge clears `announced` before it looks whether anything is left, so a commit that comes
     * between the look and the end either sees it cleared, and announces, or is seen by the look.
     */
    final UndoSpace space;
    final int slot;

    int tailPage;
    int tailTop;

    /** Header of the newest log; offset zero when there is none. */
    int logPage;

    int logOffset;

    int headPage;
    int purgePage;
    int purgeOffset;

    /** The commit LSN of the log that purge comes to next; for its order. */
    long purgeLsn;

    final AtomicBoolean announced = new AtomicBoolean();

    /** Index behind this one in the stack of free segments. */
    int nextFree;

    /** Behind this one among the announced. */
    UndoSegment nextAnnounced;

    UndoSegment(UndoSpace space, int slot, int firstPage) {
        this.space = space;
        this.slot = slot;
        this.tailPage = firstPage;
        this.tailTop = UndoPage.ENTRIES_OFFSET;
        this.headPage = firstPage;
        this.purgePage = firstPage;
        this.purgeOffset = UndoPage.ENTRIES_OFFSET;
    }

    /** The commit LSN of the log that is being purged. For the thread that polled the segment. */
    public long purgeLsn() {
        return purgeLsn;
    }

    long pageId(int pageNumber) {
        return PageId.of(space.spaceId(), pageNumber);
    }

    long tailPageId() {
        return pageId(tailPage);
    }

    @Override
    public String toString() {
        return "space=" + space.spaceId() + ", slot=" + slot + ", tailPage=" + tailPage;
    }
}
