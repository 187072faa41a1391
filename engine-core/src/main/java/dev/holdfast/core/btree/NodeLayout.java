// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of a tree page: node header, slots that grow up, records and fences that grow down.
 *
 * <pre>
 *  0        72            104                  heapTop                      P-8
 *  +--------+-------------+---------+----------+----------------------------+---------+
 *  | page   | node header | slots → | free     | ← records, fences, garbage | trailer |
 *  +--------+-------------+---------+----------+----------------------------+---------+
 * </pre>
 *
 * <p>The byte table is {@code docs/format/tree-page.md}; this class is the only code that knows the
 * offsets. Offsets stored in a page count from the page's start.
 *
 * <p><b>Latches:</b> none taken. Getters need the page latched, or a validation before the value is
 * used for anything but a bounds-checked access; setters need it latched exclusively.
 */
final class NodeLayout {
    /*
     * A slot is one aligned 8-byte word {head, offset, length}: the head is the first four bytes of
     * the key behind the page's prefix, big-endian, so that a search touches slots only until two
     * heads are equal. The prefix is not stored: it is what both fences have in common, and by
     * order every key between them has it too. So the lower fence's first bytes are the prefix.
     *
     * lastInsert and run are for the choice of the split point alone. They are part of the page,
     * because a page must come out of redo as it went in, and the functions that maintain them are
     * the ones that redo calls.
     */

    static final int LEVEL_OFFSET = PageHeader.BODY_OFFSET;
    static final int NODE_FLAGS_OFFSET = LEVEL_OFFSET + Byte.BYTES;
    static final int SLOT_COUNT_OFFSET = NODE_FLAGS_OFFSET + Byte.BYTES;
    static final int HEAP_TOP_OFFSET = SLOT_COUNT_OFFSET + Short.BYTES;
    static final int GARBAGE_OFFSET = HEAP_TOP_OFFSET + Short.BYTES;
    static final int PREFIX_LENGTH_OFFSET = GARBAGE_OFFSET + Short.BYTES;
    static final int LOWER_FENCE_OFFSET = PREFIX_LENGTH_OFFSET + Short.BYTES;
    static final int LOWER_FENCE_LENGTH_OFFSET = LOWER_FENCE_OFFSET + Short.BYTES;
    static final int UPPER_FENCE_OFFSET = LOWER_FENCE_LENGTH_OFFSET + Short.BYTES;
    static final int UPPER_FENCE_LENGTH_OFFSET = UPPER_FENCE_OFFSET + Short.BYTES;
    static final int LAST_INSERT_OFFSET = UPPER_FENCE_LENGTH_OFFSET + Short.BYTES;
    static final int FIRST_CHILD_OFFSET = LAST_INSERT_OFFSET + Short.BYTES;
    static final int RUN_OFFSET = FIRST_CHILD_OFFSET + Integer.BYTES;
    static final int NODE_RESERVED_OFFSET = RUN_OFFSET + Short.BYTES;
    static final int SLOTS_OFFSET = NODE_RESERVED_OFFSET + 6;

    /** Inside a slot. */
    static final int SLOT_HEAD = 0;

    static final int SLOT_RECORD = SLOT_HEAD + Integer.BYTES;
    static final int SLOT_LENGTH = SLOT_RECORD + Short.BYTES;
    static final int SLOT_BYTES = SLOT_LENGTH + Short.BYTES;
    static final int SLOT_SHIFT = 3;

    /** Node flags: the fence exists; without it the page is the first or the last of its level. */
    static final int HAS_LOWER = 1;

    static final int HAS_UPPER = 2;

    static final int TRAILER_BYTES = -PageHeader.TRAILER_LSN_OFFSET;

    /** No insert is remembered. */
    static final int NO_INSERT = 0xFFFF;

    static final int NO_CHILD = PageId.NULL_PAGE_NUMBER;

    static {
        assert FIRST_CHILD_OFFSET % Integer.BYTES == 0 : "the first child is aligned";
        assert SLOTS_OFFSET % SLOT_BYTES == 0 : "slots are aligned";
        assert SLOT_BYTES == 1 << SLOT_SHIFT : "slots are addressed by a shift";
    }

    private NodeLayout() {}

    /** What slots, records and fences may fill. */
    static int capacity(int pageBytes) {
        return pageBytes - SLOTS_OFFSET - TRAILER_BYTES;
    }

    /** From the page's header. */
    static int treeId(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + PageHeader.TREE_ID_OFFSET);
    }

    /** From the page's header. */
    static int pageType(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedByte(chunk, page + PageHeader.TYPE_OFFSET);
    }

    static int level(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedByte(chunk, page + LEVEL_OFFSET);
    }

    static int nodeFlags(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedByte(chunk, page + NODE_FLAGS_OFFSET);
    }

    static boolean hasLower(ByteBuffer chunk, int page) {
        return (nodeFlags(chunk, page) & HAS_LOWER) != 0;
    }

    static boolean hasUpper(ByteBuffer chunk, int page) {
        return (nodeFlags(chunk, page) & HAS_UPPER) != 0;
    }

    static int slotCount(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + SLOT_COUNT_OFFSET);
    }

    static void slotCount(ByteBuffer chunk, int page, int count) {
        PageMemory.putShort(chunk, page + SLOT_COUNT_OFFSET, count);
    }

    static int heapTop(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + HEAP_TOP_OFFSET);
    }

    static void heapTop(ByteBuffer chunk, int page, int heapTop) {
        PageMemory.putShort(chunk, page + HEAP_TOP_OFFSET, heapTop);
    }

    /** Bytes between heap top and trailer that belong to no record and no fence. */
    static int garbage(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + GARBAGE_OFFSET);
    }

    static void garbage(ByteBuffer chunk, int page, int bytes) {
        PageMemory.putShort(chunk, page + GARBAGE_OFFSET, bytes);
    }

    static int prefixLength(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + PREFIX_LENGTH_OFFSET);
    }

    static int lowerFence(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + LOWER_FENCE_OFFSET);
    }

    static int lowerFenceLength(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + LOWER_FENCE_LENGTH_OFFSET);
    }

    static int upperFence(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + UPPER_FENCE_OFFSET);
    }

    static int upperFenceLength(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + UPPER_FENCE_LENGTH_OFFSET);
    }

    static int lastInsert(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + LAST_INSERT_OFFSET);
    }

    /**
     * How many inserts in a row went right behind (positive) or right before (negative) the last.
     */
    static int run(ByteBuffer chunk, int page) {
        return PageMemory.getShort(chunk, page + RUN_OFFSET);
    }

    static void insertPattern(ByteBuffer chunk, int page, int lastInsert, int run) {
        PageMemory.putShort(chunk, page + LAST_INSERT_OFFSET, lastInsert);
        PageMemory.putShort(chunk, page + RUN_OFFSET, run);
    }

    /** The child for keys below the first separator; {@link #NO_CHILD} in a leaf. */
    static int firstChild(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + FIRST_CHILD_OFFSET);
    }

    static void firstChild(ByteBuffer chunk, int page, int pageNumber) {
        PageMemory.putInt(chunk, page + FIRST_CHILD_OFFSET, pageNumber);
    }

    /** Absolute offset of a slot. */
    static int slotAt(int page, int slot) {
        return page + SLOTS_OFFSET + (slot << SLOT_SHIFT);
    }

    /** The head, big-endian, of the slot's key; to be compared unsigned. */
    static int head(ByteBuffer chunk, int page, int slot) {
        return PageMemory.bigEndianInt(chunk, slotAt(page, slot) + SLOT_HEAD);
    }

    /** Absolute offset of the slot's record. */
    static int recordAt(ByteBuffer chunk, int page, int slot) {
        return page + PageMemory.getUnsignedShort(chunk, slotAt(page, slot) + SLOT_RECORD);
    }

    static int recordLength(ByteBuffer chunk, int page, int slot) {
        return PageMemory.getUnsignedShort(chunk, slotAt(page, slot) + SLOT_LENGTH);
    }

    static void recordLength(ByteBuffer chunk, int page, int slot, int length) {
        PageMemory.putShort(chunk, slotAt(page, slot) + SLOT_LENGTH, length);
    }

    static void slot(ByteBuffer chunk, int page, int slot, int head, int record, int length) {
        int at = slotAt(page, slot);
        PageMemory.putBigEndianInt(chunk, at + SLOT_HEAD, head);
        PageMemory.putShort(chunk, at + SLOT_RECORD, record);
        PageMemory.putShort(chunk, at + SLOT_LENGTH, length);
    }

    /** Free bytes between slots and heap. */
    static int contiguousFree(ByteBuffer chunk, int page) {
        return heapTop(chunk, page) - SLOTS_OFFSET - (slotCount(chunk, page) << SLOT_SHIFT);
    }

    /** Free bytes once the page is compacted. */
    static int totalFree(ByteBuffer chunk, int page) {
        return contiguousFree(chunk, page) + garbage(chunk, page);
    }

    /** Bytes that slots and records take; fences do not count. */
    static int recordBytes(ByteBuffer chunk, int page, int pageBytes) {
        return capacity(pageBytes)
                - totalFree(chunk, page)
                - lowerFenceLength(chunk, page)
                - upperFenceLength(chunk, page);
    }
}
