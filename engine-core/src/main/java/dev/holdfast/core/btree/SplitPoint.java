// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.watch.Invariants;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where to split a page that has no room for a new record, and by which separator.
 *
 * <p><b>Latches:</b> the page is held exclusively; it is only read. Allocates: to be asked before
 * the first change. An object is for one thread at a time.
 */
final class SplitPoint {
    /*
     * Ascending loads: the new record goes behind the last one and so did the inserts before it (or
     * the page is the tree's last). Then the left page keeps 15/16 and the inserts go on in a nearly
     * empty right page; descending loads mirror it. In the middle of a page a run splits right at the
     * insertion point, so that each of several interleaved runs gets pages of its own. Else the cut
     * is the middle by bytes, the new record counted at its place. The middle is also taken where a
     * pattern would leave a half without room for its new fence; it has it always (TreeLimits).
     *
     * Whether the new record then fits is not promised: the caller descends again and splits again.
     * Each cut makes both halves smaller, and a page of one record takes any second one.
     */

    /** So many inserts in a row are a pattern. */
    static final int RUN_MIN = 4;

    private static final int NO_SLOT = -1;

    private final int pageBytes;
    private final byte[] left;
    private final byte[] right;

    /** Slots that stay; in an inner page the next one moves up. */
    private int keep;

    private byte[] separator;
    private int separatorLength;

    SplitPoint(int pageBytes) {
        this.pageBytes = pageBytes;
        left = new byte[TreeLimits.keyBytesMax(pageBytes)];
        right = new byte[TreeLimits.keyBytesMax(pageBytes)];
    }

    int keep() {
        return keep;
    }

    byte[] separator() {
        return separator;
    }

    int separatorLength() {
        return separatorLength;
    }

    /** Chooses for a leaf and a record of a key that it does not have. */
    void chooseLeaf(ByteBuffer chunk, int page, byte[] key, int keyLength, int recordBytes) {
        int found = NodeSearch.leaf(chunk, page, key, keyLength);
        boolean isNew = found < 0;
        int slot = isNew ? -1 - found : found;
        int count = NodeLayout.slotCount(chunk, page);
        assert count >= 2 : "a leaf of one record takes a second, count=" + count;

        int bytes = recordBytes + NodeLayout.SLOT_BYTES;
        keep = clamp(choose(chunk, page, slot, bytes), 1, count - 1);
        separate(chunk, page, key, keyLength, isNew ? slot : NO_SLOT, bytes);
        if (!halvesFit(chunk, page, keep)) {
            keep = clamp(middle(chunk, page, slot, bytes), 1, count - 1);
            separate(chunk, page, key, keyLength, isNew ? slot : NO_SLOT, bytes);
        }
        Invariants.check(
                halvesFit(chunk, page, keep), "halves of a leaf fit", keep, separatorLength);
    }

    /** The shortest key that parts the halves, the new record in one of them. */
    private void separate(
            ByteBuffer chunk, int page, byte[] key, int keyLength, int newSlot, int bytes) {
        int leftLength = NodeEdit.keyOf(chunk, page, keep - 1, left);
        int rightLength = NodeEdit.keyOf(chunk, page, keep, right);
        if (newSlot == keep) {
            if (fitsLeft(chunk, page, bytes, keyLength)) {
                leftLength = copy(key, keyLength, left);
            } else {
                rightLength = copy(key, keyLength, right);
            }
        }
        int common = Arrays.mismatch(left, 0, leftLength, right, 0, rightLength);
        separator = right;
        separatorLength = common + 1;
    }

    /** Chooses for an inner page and a separator to come. */
    void chooseInner(ByteBuffer chunk, int page, byte[] key, int keyLength, int recordBytes) {
        int slot = NodeSearch.child(chunk, page, key, keyLength);
        int count = NodeLayout.slotCount(chunk, page);
        assert count >= 3 : "an inner page of three takes a fourth, count=" + count;

        int bytes = recordBytes + NodeLayout.SLOT_BYTES;
        keep = clamp(choose(chunk, page, slot, bytes), 1, count - 2);
        separatorLength = NodeEdit.keyOf(chunk, page, keep, right);
        if (!halvesFit(chunk, page, keep + 1)) {
            keep = clamp(middle(chunk, page, slot, bytes), 1, count - 2);
            separatorLength = NodeEdit.keyOf(chunk, page, keep, right);
        }
        separator = right;
        Invariants.check(
                halvesFit(chunk, page, keep + 1),
                "halves of an inner page fit",
                keep,
                separatorLength);
    }

    /**
     * Whether each half has room for its records beside its fences, the separator being the new
     * one. Behind a pattern of inserts nearly all records stay on one side, and the separator may
     * be as long as a key although all fences were short.
     */
    private boolean halvesFit(ByteBuffer chunk, int page, int rightFrom) {
        int leftBytes = separatorLength + NodeLayout.lowerFenceLength(chunk, page);
        int rightBytes = separatorLength + NodeLayout.upperFenceLength(chunk, page);
        int count = NodeLayout.slotCount(chunk, page);
        for (int slot = 0; slot < count; slot++) {
            int bytes = NodeLayout.SLOT_BYTES + NodeLayout.recordLength(chunk, page, slot);
            leftBytes += slot < keep ? bytes : 0;
            rightBytes += slot >= rightFrom ? bytes : 0;
        }
        return Math.max(leftBytes, rightBytes) <= NodeLayout.capacity(pageBytes);
    }

    private static int copy(byte[] key, int keyLength, byte[] target) {
        System.arraycopy(key, 0, target, 0, keyLength);
        return keyLength;
    }

    private static int clamp(int value, int low, int high) {
        return Math.max(low, Math.min(high, value));
    }

    private int choose(ByteBuffer chunk, int page, int slot, int newBytes) {
        int count = NodeLayout.slotCount(chunk, page);
        int last = NodeLayout.lastInsert(chunk, page);
        int run = NodeLayout.run(chunk, page);
        int fill = NodeLayout.capacity(pageBytes) / 16 * 15;
        boolean ascends = run >= RUN_MIN && slot == last + 1;
        boolean descends = run <= -RUN_MIN && slot == last;
        if (slot == count && (ascends || !NodeLayout.hasUpper(chunk, page))) {
            return slotsWithin(chunk, page, 0, 1, fill);
        }
        if (slot == 0 && descends) {
            return count - slotsWithin(chunk, page, count - 1, -1, fill);
        }
        if (ascends || descends) {
            return slot;
        }
        return middle(chunk, page, slot, newBytes);
    }

    /** How many slots from an end on take at most so many bytes. */
    private static int slotsWithin(ByteBuffer chunk, int page, int from, int step, int bytesMax) {
        int count = NodeLayout.slotCount(chunk, page);
        int slots = 0;
        int bytes = 0;
        for (int slot = from; slot >= 0 && slot < count; slot += step) {
            bytes += NodeLayout.SLOT_BYTES + NodeLayout.recordLength(chunk, page, slot);
            if (bytes > bytesMax) {
                break;
            }
            slots++;
        }
        return slots;
    }

    private int middle(ByteBuffer chunk, int page, int newSlot, int newBytes) {
        int total = NodeLayout.recordBytes(chunk, page, pageBytes) + newBytes;
        int count = NodeLayout.slotCount(chunk, page);
        int bytes = 0;
        int best = 0;
        int bestDistance = Integer.MAX_VALUE;
        for (int slot = 0; slot <= count; slot++) {
            int before = bytes + (newSlot < slot ? newBytes : 0);
            int distance = Math.abs(total - 2 * before);
            if (distance < bestDistance) {
                best = slot;
                bestDistance = distance;
            }
            if (slot < count) {
                bytes += NodeLayout.SLOT_BYTES + NodeLayout.recordLength(chunk, page, slot);
            }
        }
        return best;
    }

    /** Whether the left half takes the new record behind its last, beside the longest fence. */
    private boolean fitsLeft(ByteBuffer chunk, int page, int newBytes, int keyLength) {
        int bytes = NodeLayout.lowerFenceLength(chunk, page) + keyLength + 1 + newBytes;
        for (int slot = 0; slot < keep; slot++) {
            bytes += NodeLayout.SLOT_BYTES + NodeLayout.recordLength(chunk, page, slot);
        }
        return bytes <= NodeLayout.capacity(pageBytes);
    }
}
