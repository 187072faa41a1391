// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Checks all that one tree page alone can show (invariants B1 to B7).
 *
 * <p>Reports and goes on; after a finding that makes offsets worthless it stops with this page.
 *
 * <p><b>Latches:</b> the page is latched, or a private copy.
 */
final class NodeCheck {
    private final ByteBuffer chunk;
    private final int page;
    private final int pageBytes;
    private final long pageId;
    private final TreeFindings findings;

    /** One entry per byte of the page: taken by a record or a fence. */
    private final boolean[] taken;

    private boolean sound = true;

    private NodeCheck(
            ByteBuffer chunk, int page, int pageBytes, long pageId, TreeFindings findings) {
        this.chunk = chunk;
        this.page = page;
        this.pageBytes = pageBytes;
        this.pageId = pageId;
        this.findings = findings;
        taken = new boolean[pageBytes];
    }

    /** Returns whether nothing was found. */
    static boolean check(
            ByteBuffer chunk, int page, int pageBytes, long pageId, TreeFindings findings) {
        return new NodeCheck(chunk, page, pageBytes, pageId, findings).run();
    }

    private boolean run() {
        int level = NodeLayout.level(chunk, page);
        int type = PageMemory.getByte(chunk, page + PageHeader.TYPE_OFFSET);
        equal("B1", "page type", level == 0 ? PageType.LEAF : PageType.INNER, type);
        int reserved = PageMemory.getShort(chunk, page + NodeLayout.NODE_RESERVED_OFFSET);
        reserved |= PageMemory.getInt(chunk, page + NodeLayout.NODE_RESERVED_OFFSET + 2);
        equal("B1", "reserved bytes", 0, reserved);
        int flags = NodeLayout.nodeFlags(chunk, page);
        equal("B1", "unknown node flags", 0, flags & ~3);
        boolean isLeaf = level == 0;
        boolean hasFirst = NodeLayout.firstChild(chunk, page) != NodeLayout.NO_CHILD;
        equal("B1", "first child present", isLeaf ? 0 : 1, hasFirst ? 1 : 0);

        int heapTop = NodeLayout.heapTop(chunk, page);
        int slotsEnd = NodeLayout.SLOTS_OFFSET + NodeLayout.slotCount(chunk, page) * 8;
        int heapEnd = pageBytes - NodeLayout.TRAILER_BYTES;
        within("B2", "heap top", slotsEnd, heapEnd, heapTop);
        if (!sound) {
            return false;
        }
        int used = checkFence(true) + checkFence(false) + checkSlots(isLeaf);
        equal("B2", "garbage", heapEnd - heapTop - used, NodeLayout.garbage(chunk, page));
        if (sound) {
            checkPrefix();
            checkOrder(isLeaf);
        }
        return sound;
    }

    private int checkFence(boolean isLower) {
        boolean has = isLower ? NodeLayout.hasLower(chunk, page) : NodeLayout.hasUpper(chunk, page);
        int fence =
                isLower ? NodeLayout.lowerFence(chunk, page) : NodeLayout.upperFence(chunk, page);
        int length =
                isLower
                        ? NodeLayout.lowerFenceLength(chunk, page)
                        : NodeLayout.upperFenceLength(chunk, page);
        if (!has) {
            equal("B3", "absent fence", 0, fence | length);
            return 0;
        }
        within("B3", "fence length", 0, TreeLimits.keyBytesMax(pageBytes), length);
        take(fence, length);
        return length;
    }

    private int checkSlots(boolean isLeaf) {
        int used = 0;
        int count = NodeLayout.slotCount(chunk, page);
        for (int slot = 0; slot < count; slot++) {
            int record = NodeLayout.recordAt(chunk, page, slot);
            int length = NodeLayout.recordLength(chunk, page, slot);
            take(record - page, length);
            if (!sound) {
                return used;
            }
            used += length;
            if (isLeaf) {
                checkLeafRecord(record, length);
            } else {
                within("B4", "inner record", InnerRecord.KEY_AT, pageBytes / 4, length);
            }
            if (sound) {
                checkHead(slot, isLeaf);
            }
        }
        return used;
    }

    private void checkLeafRecord(int record, int length) {
        within("B4", "record length", 2, TreeLimits.recordBytesMax(pageBytes), length);
        int flags = LeafRecord.flags(chunk, record);
        equal("B4", "unknown record flags", 0, flags & ~LeafRecord.KNOWN_FLAGS);
        int suffixLength = LeafRecord.suffixLength(chunk, record);
        int keyLength = suffixLength + NodeLayout.prefixLength(chunk, page);
        within("B4", "key length", 0, TreeLimits.keyBytesMax(pageBytes), keyLength);
        int header = LeafRecord.bytes(flags, suffixLength, 0);
        within("B4", "record parts", 0, length, header);
        if ((flags & LeafRecord.OVERFLOW) != 0) {
            equal("B4", "overflow pointer length", OverflowPointer.BYTES, length - header);
        }
    }

    private void checkHead(int slot, boolean isLeaf) {
        int at = suffixAt(slot, isLeaf);
        byte[] head = new byte[Math.min(Integer.BYTES, suffixLength(slot, isLeaf))];
        PageMemory.copyOut(chunk, at, head, 0, head.length);
        equal(
                "B5",
                "slot head",
                NodeSearch.head(head, 0, head.length),
                NodeLayout.head(chunk, page, slot));
    }

    private void checkPrefix() {
        int common =
                PageMemory.commonPrefix(
                        chunk,
                        page + NodeLayout.lowerFence(chunk, page),
                        NodeLayout.lowerFenceLength(chunk, page),
                        chunk,
                        page + NodeLayout.upperFence(chunk, page),
                        NodeLayout.upperFenceLength(chunk, page));
        equal("B3", "prefix length", common, NodeLayout.prefixLength(chunk, page));
        if (NodeLayout.hasLower(chunk, page) && NodeLayout.hasUpper(chunk, page)) {
            int order =
                    PageMemory.compare(
                            chunk,
                            page + NodeLayout.lowerFence(chunk, page),
                            NodeLayout.lowerFenceLength(chunk, page),
                            chunk,
                            page + NodeLayout.upperFence(chunk, page),
                            NodeLayout.upperFenceLength(chunk, page));
            equal("B3", "lower fence below upper", -1, Integer.signum(order));
        }
    }

    private void checkOrder(boolean isLeaf) {
        int count = NodeLayout.slotCount(chunk, page);
        int prefix = NodeLayout.prefixLength(chunk, page);
        for (int slot = 1; slot < count; slot++) {
            int order =
                    PageMemory.compare(
                            chunk,
                            suffixAt(slot - 1, isLeaf),
                            suffixLength(slot - 1, isLeaf),
                            chunk,
                            suffixAt(slot, isLeaf),
                            suffixLength(slot, isLeaf));
            equal("B6", "order of keys at slot " + slot, -1, Integer.signum(order));
        }
        if (count > 0 && NodeLayout.hasLower(chunk, page)) {
            int order =
                    compareWith(
                            0,
                            isLeaf,
                            NodeLayout.lowerFence(chunk, page),
                            prefix,
                            NodeLayout.lowerFenceLength(chunk, page));
            // a separator equal to the lower fence would leave the first child no range
            within("B7", "first key from the lower fence", isLeaf ? 0 : 1, 1, order);
        }
        if (count > 0 && NodeLayout.hasUpper(chunk, page)) {
            int order =
                    compareWith(
                            count - 1,
                            isLeaf,
                            NodeLayout.upperFence(chunk, page),
                            prefix,
                            NodeLayout.upperFenceLength(chunk, page));
            equal("B7", "last key below the upper fence", -1, order);
        }
    }

    private int compareWith(int slot, boolean isLeaf, int fence, int prefix, int fenceLength) {
        return Integer.signum(
                PageMemory.compare(
                        chunk,
                        suffixAt(slot, isLeaf),
                        suffixLength(slot, isLeaf),
                        chunk,
                        page + fence + prefix,
                        fenceLength - prefix));
    }

    private int suffixAt(int slot, boolean isLeaf) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        return isLeaf ? LeafRecord.suffixAt(chunk, record) : record + InnerRecord.KEY_AT;
    }

    private int suffixLength(int slot, boolean isLeaf) {
        return isLeaf
                ? LeafRecord.suffixLength(chunk, NodeLayout.recordAt(chunk, page, slot))
                : NodeLayout.recordLength(chunk, page, slot) - InnerRecord.KEY_AT;
    }

    private void take(int offset, int length) {
        int heapEnd = pageBytes - NodeLayout.TRAILER_BYTES;
        within("B2", "start in the heap", NodeLayout.heapTop(chunk, page), heapEnd, offset);
        within("B2", "end in the heap", 0, heapEnd, offset + length);
        if (!sound) {
            return;
        }
        for (int i = offset; i < offset + length; i++) {
            if (taken[i]) {
                equal("B2", "byte taken twice", 0, i);
                return;
            }
            taken[i] = true;
        }
    }

    private void equal(String invariant, String what, long expected, long found) {
        if (expected != found) {
            sound = false;
            findings.found(pageId, invariant, what, Long.toString(expected), Long.toString(found));
        }
    }

    private void within(String invariant, String what, long low, long high, long found) {
        if (found < low || found > high) {
            sound = false;
            findings.found(pageId, invariant, what, low + ".." + high, Long.toString(found));
        }
    }
}
