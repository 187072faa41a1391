// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.io.memory.PageMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Search inside one page: heads first, keys only where heads are equal.
 *
 * <p>The key must lie between the page's fences (the upper one included), so that it has the page's
 * prefix. Nothing allocates. On a page that changes meanwhile the result is arbitrary, or {@code
 * IndexOutOfBoundsException}; all loops are bounded by the page's 16-bit slot count.
 */
final class NodeSearch {
    /*
     * The first loop compares heads alone and has no exit but its end: its length depends on the
     * slot count only, so the one hard-to-predict branch can become a conditional move. A head is
     * padded with zeros, so equal heads say nothing about order, and the keys behind them are
     * compared. Mostly the first slot with an equal head decides; a run of equal heads is searched
     * by whole keys.
     */

    private static final VarHandle ARRAY_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private NodeSearch() {}

    /** The slot of the key, or -1 - s where s is the first slot of a greater key. */
    static int leaf(ByteBuffer chunk, int page, byte[] key, int keyLength) {
        int from = prefixOf(chunk, page, keyLength);
        int head = head(key, from, keyLength);
        int count = NodeLayout.slotCount(chunk, page);
        int slot = firstHeadNotBelow(chunk, page, count, head);
        if (slot == count || NodeLayout.head(chunk, page, slot) != head) {
            return -1 - slot;
        }
        int order = compareLeaf(chunk, page, slot, key, from, keyLength);
        if (order >= 0) {
            return order == 0 ? slot : -1 - slot;
        }
        int low = slot + 1;
        int high = firstHeadAbove(chunk, page, low, count, head);
        while (low < high) {
            int middle = (low + high) >>> 1;
            order = compareLeaf(chunk, page, middle, key, from, keyLength);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -1 - low;
    }

    /** The position of the child whose range holds the key. */
    static int child(ByteBuffer chunk, int page, byte[] key, int keyLength) {
        int slot = separator(chunk, page, key, keyLength);
        return slot >= 0 ? slot + 1 : -1 - slot;
    }

    /** The position of the child whose range holds the keys right below the key. */
    static int childBelow(ByteBuffer chunk, int page, byte[] key, int keyLength) {
        int slot = separator(chunk, page, key, keyLength);
        return slot >= 0 ? slot : -1 - slot;
    }

    /** The slot of the separator that equals the key, or -1 - s for the first greater one. */
    static int separator(ByteBuffer chunk, int page, byte[] key, int keyLength) {
        int from = prefixOf(chunk, page, keyLength);
        int head = head(key, from, keyLength);
        int count = NodeLayout.slotCount(chunk, page);
        int low = firstHeadNotBelow(chunk, page, count, head);
        if (low == count || NodeLayout.head(chunk, page, low) != head) {
            return -1 - low;
        }
        int high = firstHeadAbove(chunk, page, low + 1, count, head);
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = compareInner(chunk, page, middle, key, from, keyLength);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return -1 - low;
    }

    /** The order of the page's upper fence and the key; there is such a fence. */
    static int compareUpper(ByteBuffer chunk, int page, byte[] key) {
        int length = NodeLayout.upperFenceLength(chunk, page);
        return PageMemory.compare(
                chunk, page + NodeLayout.upperFence(chunk, page), length, key, 0, key.length);
    }

    /** The order of the page's lower fence and the key; there is such a fence. */
    static int compareLower(ByteBuffer chunk, int page, byte[] key) {
        int length = NodeLayout.lowerFenceLength(chunk, page);
        return PageMemory.compare(
                chunk, page + NodeLayout.lowerFence(chunk, page), length, key, 0, key.length);
    }

    /** The first four bytes of the key from an offset, big-endian, padded with zeros. */
    static int head(byte[] key, int from, int keyLength) {
        int length = keyLength - from;
        if (length >= Integer.BYTES) {
            return (int) ARRAY_INT.get(key, from);
        }
        int head = 0;
        for (int i = 0; i < length; i++) {
            head |= (key[from + i] & 0xFF) << ((3 - i) * Byte.SIZE);
        }
        return head;
    }

    private static int prefixOf(ByteBuffer chunk, int page, int keyLength) {
        int prefix = NodeLayout.prefixLength(chunk, page);
        if (prefix > keyLength) {
            throw new IndexOutOfBoundsException(prefix);
        }
        return prefix;
    }

    private static int firstHeadNotBelow(ByteBuffer chunk, int page, int count, int head) {
        int wanted = head ^ Integer.MIN_VALUE;
        int base = page + NodeLayout.SLOTS_OFFSET;
        int low = 0;
        int length = count;
        while (length > 1) {
            int half = length >>> 1;
            int at = base + ((low + half - 1) << NodeLayout.SLOT_SHIFT);
            int found = PageMemory.bigEndianInt(chunk, at) ^ Integer.MIN_VALUE;
            low += found < wanted ? half : 0;
            length -= half;
        }
        if (length == 1) {
            int at = base + (low << NodeLayout.SLOT_SHIFT);
            low += (PageMemory.bigEndianInt(chunk, at) ^ Integer.MIN_VALUE) < wanted ? 1 : 0;
        }
        return low;
    }

    private static int firstHeadAbove(ByteBuffer chunk, int page, int from, int count, int head) {
        if (from >= count || NodeLayout.head(chunk, page, from) != head) {
            return from;
        }
        int low = from + 1;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (NodeLayout.head(chunk, page, middle) == head) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static int compareLeaf(
            ByteBuffer chunk, int page, int slot, byte[] key, int from, int keyLength) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        return PageMemory.compare(
                chunk,
                LeafRecord.suffixAt(chunk, record),
                LeafRecord.suffixLength(chunk, record),
                key,
                from,
                keyLength - from);
    }

    private static int compareInner(
            ByteBuffer chunk, int page, int slot, byte[] key, int from, int keyLength) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        int length = NodeLayout.recordLength(chunk, page, slot) - InnerRecord.KEY_AT;
        return PageMemory.compare(
                chunk, record + InnerRecord.KEY_AT, length, key, from, keyLength - from);
    }
}
