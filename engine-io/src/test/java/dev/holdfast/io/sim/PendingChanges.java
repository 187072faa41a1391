// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/**
 * The pending changes of one file, oldest first; cheap to copy.
 *
 * <p>Not safe for use by several threads while one changes it; a copy that nobody changes may be
 * read and copied by many.
 */
final class PendingChanges {
    /*
     * A range of an array that may be shared with copies. Elements leave at the front only, by
     * moving the start, and are added behind the end only, so a copy never sees a change. Two
     * owners that both add would meet in the array: only the one that made it adds in place, a copy
     * makes an array of its own first.
     */
    private static final PendingChange[] EMPTY = {};

    private PendingChange[] changes;
    private int from;
    private int to;
    private boolean isOwner;

    PendingChanges() {
        this(EMPTY, 0, 0);
    }

    private PendingChanges(PendingChange[] changes, int from, int to) {
        this.changes = changes;
        this.from = from;
        this.to = to;
    }

    PendingChanges copy() {
        return new PendingChanges(changes, from, to);
    }

    int count() {
        return to - from;
    }

    PendingChange get(int index) {
        return changes[from + index];
    }

    void add(PendingChange change) {
        if (!isOwner || to == changes.length) {
            PendingChange[] larger = new PendingChange[Math.max(16, 2 * count())];
            System.arraycopy(changes, from, larger, 0, count());
            to = count();
            from = 0;
            changes = larger;
            isOwner = true;
        }
        changes[to++] = change;
    }

    /** How many are older than that. */
    int countBefore(long sequence) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (changes[middle].sequence() < sequence) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - from;
    }

    void removeFirst(int count) {
        assert count <= count() : "count=" + count + ", pending=" + count();

        from += count;
    }
}
