// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;

/**
 * Follows overflow chains that no row of a tree points to: those of older versions, of values that
 * are being written, and condemned ones. For the verifier.
 */
public final class OverflowChains {
    private final BufferPool pool;
    private final TreeFindings findings;

    public OverflowChains(BufferPool pool, TreeFindings findings) {
        this.pool = pool;
        this.findings = findings;
    }

    /**
     * Tells of each page of a chain, which may end early, until the visitor says to stop; a chain
     * that goes in a circle meets pages that the visitor knows.
     */
    public void visit(long headPageId, int treeId, LongPredicate goesOn) {
        long pageId = headPageId;
        while (goesOn.test(pageId)) {
            int next = next(pageId, treeId);
            if (next == OverflowLayout.NO_NEXT) {
                return;
            }
            pageId = PageId.of(PageId.spaceId(headPageId), next);
        }
    }

    private int next(long pageId, int treeId) {
        int frame;
        try {
            frame = pool.fixShared(pageId);
        } catch (CorruptionException damaged) {
            findings.found(pageId, "B11", "overflow page", damaged.expected(), damaged.found());
            return OverflowLayout.NO_NEXT;
        }
        ByteBuffer chunk = pool.chunk(frame);
        int page = pool.offset(frame);
        boolean isOfTree =
                NodeLayout.pageType(chunk, page) == PageType.OVERFLOW
                        && NodeLayout.treeId(chunk, page) == treeId;
        int next = isOfTree ? OverflowLayout.next(chunk, page) : OverflowLayout.NO_NEXT;
        String found =
                "type="
                        + NodeLayout.pageType(chunk, page)
                        + ", tree="
                        + NodeLayout.treeId(chunk, page);
        pool.unfixShared(frame);
        if (!isOfTree) {
            findings.found(
                    pageId,
                    "B11",
                    "overflow page",
                    "type=" + PageType.OVERFLOW + ", tree=" + treeId,
                    found);
        }
        return next;
    }
}
