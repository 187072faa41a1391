// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.ReadAhead;
import dev.holdfast.core.buffer.ReadAheadRequest;
import dev.holdfast.core.page.PageId;
import java.nio.ByteBuffer;

/** How far a scan is ahead of itself: which leaves it asks for, and when. For one thread. */
final class LeafAhead {
    /*
     * The numbers of the next leaves stand in the parent that the way down to a leaf passes anyway.
     * They are copied there, and count if the parent validates afterwards (P1), so they are true of
     * that moment however the tree was split before. What is behind the parent's end, or behind the
     * scan's bound, is not asked for.
     *
     * The window is how many leaves a scan is ahead. It looks at the parent again when less than
     * half of it is left, and asks for those of the next leaves that are in no frame; if all are,
     * nothing happens but this look. It begins with the second leaf that is crossed to, so that a
     * scan of two leaves reads none for nothing.
     *
     * What it has asked for it remembers until it comes there. A page that is in the pool then, or
     * is being read, was worth it; one that was not even begun came too late, which a larger window
     * would have helped; one that was over and is not there was dropped, or evicted unused. The
     * window doubles if there was none of the last kind since it was looked at, else it halves, and
     * what is ahead is looked at anew.
     *
     * The copy of the parent may be of any moment. A leaf that was merged away since costs a read of
     * a page that is nobody's; the way down is not led by any of this.
     */
    private static final int REMEMBERED_MAX = 2 * ReadAheadRequest.PAGES_MAX;

    private final BufferPool pool;
    private final ReadAhead readAhead;
    private final ReadAheadRequest request = new ReadAheadRequest();
    private final int[] numbers = new int[ReadAheadRequest.PAGES_MAX];
    private int count;

    /** Page numbers that were asked for and not come to, oldest first, in a ring. */
    private final int[] remembered = new int[REMEMBERED_MAX];

    /** Beside each: the number of its request. */
    private final int[] requestNumbers = new int[REMEMBERED_MAX];

    private int oldest;
    private int newest;

    private boolean isUp;
    private boolean isCrossing;
    private int crossings;
    private int window;

    /** Leaves behind the one at hand that were looked at. */
    private int covered;

    private int useful;
    private int lost;

    LeafAhead(BufferPool pool, ReadAhead readAhead) {
        this.pool = pool;
        this.readAhead = readAhead;
        jumps();
    }

    /** The scan goes on elsewhere. */
    void jumps() {
        isCrossing = false;
        crossings = 0;
        window = readAhead.windowMin();
        covered = 0;
        useful = 0;
        lost = 0;
        oldest = newest;
    }

    /**
     * The next load goes to the neighbour.
     *
     * @return whether the parent is to be looked at on the way
     */
    boolean crosses(boolean up) {
        if (up != isUp) {
            jumps();
            isUp = up;
        }
        isCrossing = true;
        crossings++;
        covered = Math.max(0, covered - 1);
        if (crossings < 2 || 2 * covered >= window) {
            return false;
        }
        if (lost > 0) {
            window = Math.max(readAhead.windowMin(), window / 2);
            covered = 0;
        } else if (useful > 0) {
            window = Math.min(readAhead.windowMax(), 2 * window);
        }
        useful = 0;
        lost = 0;
        return true;
    }

    /**
     * Copies numbers of the next leaves out of the parent, which is validated afterwards; on bytes
     * of several moments it may throw {@code IndexOutOfBoundsException}.
     *
     * @param position of the leaf that the scan is about to load
     * @param bound behind it the scan ends; null if there is none
     */
    void copy(ByteBuffer chunk, int page, int position, byte[] bound) {
        count = 0;
        if (isUp) {
            int end = Math.min(lastPosition(chunk, page, bound), position + window);
            for (int at = position + 1 + covered; at <= end; at++) {
                numbers[count++] = InnerRecord.childAt(chunk, page, at);
            }
        } else {
            int end = Math.max(firstPosition(chunk, page, bound), position - window);
            for (int at = position - 1 - covered; at >= end; at--) {
                numbers[count++] = InnerRecord.childAt(chunk, page, at);
            }
        }
    }

    private static int lastPosition(ByteBuffer chunk, int page, byte[] bound) {
        boolean isInside =
                bound != null
                        && (!NodeLayout.hasUpper(chunk, page)
                                || NodeSearch.compareUpper(chunk, page, bound) > 0);
        return isInside
                ? NodeSearch.childBelow(chunk, page, bound, bound.length)
                : NodeLayout.slotCount(chunk, page);
    }

    private static int firstPosition(ByteBuffer chunk, int page, byte[] bound) {
        boolean isInside =
                bound != null
                        && (!NodeLayout.hasLower(chunk, page)
                                || NodeSearch.compareLower(chunk, page, bound) < 0);
        return isInside ? NodeSearch.child(chunk, page, bound, bound.length) : 0;
    }

    /** The copied numbers are true: asks for those that are in no frame. */
    void ask(int spaceId) {
        covered += count;
        boolean isBusy = request.isAsked();
        int missing = 0;
        for (int i = 0; i < count; i++) {
            long pageId = PageId.of(spaceId, numbers[i]);
            if (pool.find(pageId) < 0) {
                if (!isBusy) {
                    if (missing == 0) {
                        request.begin();
                    }
                    request.add(pageId);
                }
                numbers[missing] = numbers[i];
                missing++;
            }
        }
        count = 0;
        if (missing == 0) {
            return;
        }
        if (isBusy || !readAhead.offer(request)) {
            readAhead.dropped(missing);
            return;
        }
        for (int i = 0; i < missing; i++) {
            remember(numbers[i]);
        }
    }

    private void remember(int number) {
        int at = newest & REMEMBERED_MAX - 1;
        remembered[at] = number;
        requestNumbers[at] = request.number();
        newest++;
        if (newest - oldest > REMEMBERED_MAX) {
            oldest++;
        }
    }

    /**
     * A leaf was loaded.
     *
     * @param wasMissing the scan had to read it
     */
    void arrived(int number, boolean wasMissing) {
        if (!isCrossing) {
            return;
        }
        isCrossing = false;
        for (int i = oldest; i != newest; i++) {
            int at = i & REMEMBERED_MAX - 1;
            if (remembered[at] == number) {
                oldest = i + 1;
                judge(requestNumbers[at], wasMissing);
                return;
            }
        }
    }

    private void judge(int requestNumber, boolean wasMissing) {
        if (!wasMissing) {
            readAhead.used();
            useful++;
        } else if (request.isEnded(requestNumber)) {
            lost++;
        } else {
            useful++;
        }
    }
}
