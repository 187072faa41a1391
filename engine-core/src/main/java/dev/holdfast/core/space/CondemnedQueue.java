// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The condemned pages of one space that wait for their epochs (P6), with a limit; groups whose
 * condemned pages did not fit, or that nobody has looked at since the open, are marked to be
 * scanned. Not safe for use by several threads; {@link Space} guards it.
 */
final class CondemnedQueue {
    /*
     * Each condemned page is in the queue at most once, or its group is marked. An entry leaves when
     * the page is freed, before anybody can allocate the page again; so a page that is found here
     * when it is condemned is here for that same condemnation, put in by a scan that was quicker.
     * Without that a stale entry could free a page that was condemned a second time too early.
     */
    static final int CAPACITY = 256;

    private final long[] epochs = new long[CAPACITY];
    private final int[] pages = new int[CAPACITY];
    private final boolean[] chains = new boolean[CAPACITY];
    private final BitSet unscanned;
    private int count;

    /** All groups of an opened space are unscanned; those of a new space hold nothing. */
    CondemnedQueue(int unscannedGroups) {
        this.unscanned = new BitSet(unscannedGroups);
        unscanned.set(0, unscannedGroups);
    }

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    /**
     * Remembers a page that was condemned.
     *
     * @return false if there is no room; then its group is marked
     */
    boolean add(int pageNumber, int group, boolean chain, long epoch) {
        if (indexOf(pageNumber) >= 0) {
            return true;
        }
        if (count == CAPACITY) {
            unscanned.set(group);
            return false;
        }
        pages[count] = pageNumber;
        chains[count] = chain;
        epochs[count] = epoch;
        count++;
        return true;
    }

    /** Forgets a page that was freed, or is not going to be. Returns whether it was here. */
    boolean remove(int pageNumber) {
        int index = indexOf(pageNumber);
        if (index < 0) {
            return false;
        }
        int behind = count - index - 1;
        System.arraycopy(pages, index + 1, pages, index, behind);
        System.arraycopy(chains, index + 1, chains, index, behind);
        System.arraycopy(epochs, index + 1, epochs, index, behind);
        count--;
        return true;
    }

    int page(int index) {
        return pages[index];
    }

    boolean isChain(int index) {
        return chains[index];
    }

    long epoch(int index) {
        return epochs[index];
    }

    /** The first marked group from one on, or -1. */
    int unscannedGroup(int from) {
        return unscanned.nextSetBit(from);
    }

    boolean hasUnscanned() {
        return !unscanned.isEmpty();
    }

    void scanned(int group) {
        unscanned.clear(group);
    }

    void mark(int group) {
        unscanned.set(group);
    }

    /** Forgets all from a group on: the pages were cut off. */
    void cut(int groups) {
        unscanned.clear(groups, Math.max(groups, unscanned.length()));
    }

    private int indexOf(int pageNumber) {
        for (int i = 0; i < count; i++) {
            if (pages[i] == pageNumber) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return "pages=" + Arrays.toString(Arrays.copyOf(pages, count)) + ", marked=" + unscanned;
    }
}
