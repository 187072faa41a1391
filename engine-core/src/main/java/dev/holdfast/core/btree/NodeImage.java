// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.page.Varint;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * A node's whole content as the body of a redo record: taken from pages, and made into a page.
 *
 * <p>Form: level u8, last insert u16, run u16, first child u32, lower fence and upper fence (each
 * varint length + 1, 0 for none, then bytes), record count varint, records (varint length, bytes).
 * Records bear the key behind the prefix that the two fences have in common.
 *
 * <p><b>Latches:</b> pages read are latched; the page made is latched exclusively.
 */
final class NodeImage {
    /*
     * Every reorganisation goes through this one form: compaction, cut, new fences, split, merge.
     * A page is taken apart into it and put together again from it, so records change their prefix
     * in one place, and a page that recovery makes has the same bytes, free space included.
     */

    private static final int LEVEL_AT = 0;
    private static final int LAST_INSERT_AT = LEVEL_AT + Byte.BYTES;
    private static final int RUN_AT = LAST_INSERT_AT + Short.BYTES;
    private static final int FIRST_CHILD_AT = RUN_AT + Short.BYTES;
    private static final int FENCES_AT = FIRST_CHILD_AT + Integer.BYTES;

    /** No slot loses its version. */
    static final byte[] NO_DROPS = {0};

    private NodeImage() {}

    static void begin(ChangeBody out, int level, int lastInsert, int run, int firstChild) {
        out.clear();
        out.putByte(level);
        out.putShort(lastInsert);
        out.putShort(run);
        out.putInt(firstChild);
    }

    static void putNoFence(ChangeBody out) {
        out.putVarint(0);
    }

    static void putFence(ChangeBody out, byte[] key, int offset, int length) {
        out.putVarint(length + 1);
        out.putBytes(key, offset, length);
    }

    static void putLowerOf(ChangeBody out, ByteBuffer chunk, int page) {
        if (NodeLayout.hasLower(chunk, page)) {
            int length = NodeLayout.lowerFenceLength(chunk, page);
            out.putVarint(length + 1);
            out.putBytes(chunk, page + NodeLayout.lowerFence(chunk, page), length);
        } else {
            putNoFence(out);
        }
    }

    static void putUpperOf(ChangeBody out, ByteBuffer chunk, int page) {
        if (NodeLayout.hasUpper(chunk, page)) {
            int length = NodeLayout.upperFenceLength(chunk, page);
            out.putVarint(length + 1);
            out.putBytes(chunk, page + NodeLayout.upperFence(chunk, page), length);
        } else {
            putNoFence(out);
        }
    }

    /** What the two fences, just written, have in common. */
    static int prefixLength(ChangeBody out) {
        return prefixLength(out.bytes, FENCES_AT);
    }

    private static int prefixLength(byte[] body, int fencesAt) {
        int lower = Varint.get(body, fencesAt);
        int lowerAt = fencesAt + Varint.length(lower);
        int upperAt = lowerAt + Math.max(0, lower - 1);
        int upper = Varint.get(body, upperAt);
        upperAt += Varint.length(upper);
        int common = Math.min(lower, upper) - 1;
        int i = 0;
        while (i < common && body[lowerAt + i] == body[upperAt + i]) {
            i++;
        }
        return i;
    }

    /** Appends the records of a range of slots as they are on a page with another prefix. */
    static void putRecords(
            ChangeBody out, ByteBuffer chunk, int page, int from, int to, int newPrefix) {
        putRecords(out, chunk, page, from, to, newPrefix, NO_DROPS, 0);
    }

    /**
     * Appends the records of a range of slots, without their versions where a list says so.
     *
     * @param drops varint count, then ascending slots, each as varint distance from the one before
     */
    static void putRecords(
            ChangeBody out,
            ByteBuffer chunk,
            int page,
            int from,
            int to,
            int newPrefix,
            byte[] drops,
            int dropsAt) {
        boolean isLeaf = NodeLayout.level(chunk, page) == 0;
        int dropCount = Varint.get(drops, dropsAt);
        int at = dropsAt + Varint.length(dropCount);
        int nextDrop = -1;
        if (dropCount > 0) {
            nextDrop = Varint.get(drops, at);
            at += Varint.length(nextDrop);
        }
        for (int slot = from; slot < to; slot++) {
            boolean drop = slot == nextDrop;
            if (drop && --dropCount > 0) {
                int distance = Varint.get(drops, at);
                nextDrop += distance;
                at += Varint.length(distance);
            }
            if (isLeaf) {
                putLeafRecord(out, chunk, page, slot, newPrefix, drop);
            } else {
                putInnerRecord(out, chunk, page, slot, newPrefix);
            }
        }
    }

    private static void putLeafRecord(
            ChangeBody out, ByteBuffer chunk, int page, int slot, int newPrefix, boolean drop) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        int recordLength = NodeLayout.recordLength(chunk, page, slot);
        int flags = LeafRecord.flags(chunk, record);
        int newFlags = drop ? flags & ~LeafRecord.HAS_VERSION : flags;
        int oldPrefix = NodeLayout.prefixLength(chunk, page);
        int suffixLength = LeafRecord.suffixLength(chunk, record);
        int newSuffixLength = suffixLength + oldPrefix - newPrefix;
        int valueLength = LeafRecord.valueLength(chunk, record, recordLength);
        out.putVarint(LeafRecord.bytes(newFlags, newSuffixLength, valueLength));
        LeafRecord.putHeader(
                out,
                newFlags,
                newSuffixLength,
                LeafRecord.txnId(chunk, record),
                LeafRecord.roll(chunk, record));
        putKey(out, chunk, page, LeafRecord.suffixAt(chunk, record), suffixLength, newPrefix);
        out.putBytes(chunk, LeafRecord.valueAt(chunk, record), valueLength);
    }

    private static void putInnerRecord(
            ChangeBody out, ByteBuffer chunk, int page, int slot, int newPrefix) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        int suffixLength = NodeLayout.recordLength(chunk, page, slot) - InnerRecord.KEY_AT;
        int newSuffixLength = suffixLength + NodeLayout.prefixLength(chunk, page) - newPrefix;
        out.putVarint(InnerRecord.bytes(newSuffixLength));
        out.putInt(InnerRecord.child(chunk, record));
        putKey(out, chunk, page, record + InnerRecord.KEY_AT, suffixLength, newPrefix);
    }

    private static void putKey(
            ChangeBody out, ByteBuffer chunk, int page, int suffixAt, int length, int newPrefix) {
        int oldPrefix = NodeLayout.prefixLength(chunk, page);
        if (newPrefix < oldPrefix) {
            int lower = page + NodeLayout.lowerFence(chunk, page);
            out.putBytes(chunk, lower + newPrefix, oldPrefix - newPrefix);
            out.putBytes(chunk, suffixAt, length);
        } else {
            int cut = newPrefix - oldPrefix;
            out.putBytes(chunk, suffixAt + cut, length - cut);
        }
    }

    /** Appends one separator that comes from outside a page's slots. */
    static void putSeparator(ChangeBody out, int child, byte[] key, int keyLength, int newPrefix) {
        out.putVarint(InnerRecord.bytes(keyLength - newPrefix));
        out.putInt(child);
        out.putBytes(key, newPrefix, keyLength - newPrefix);
    }

    /** Makes the page what the body says; its header but for the type stays as it is. */
    static void apply(ByteBuffer chunk, int page, int pageBytes, byte[] body, int bodyAt) {
        int level = body[bodyAt + LEVEL_AT] & 0xFF;
        int heapEnd = pageBytes - NodeLayout.TRAILER_BYTES;
        int start = NodeLayout.LEVEL_OFFSET;
        PageMemory.fill(chunk, page + start, heapEnd - start, (byte) 0);
        PageMemory.putByte(
                chunk, page + PageHeader.TYPE_OFFSET, level == 0 ? PageType.LEAF : PageType.INNER);
        PageMemory.putByte(chunk, page + NodeLayout.LEVEL_OFFSET, level);
        NodeLayout.insertPattern(
                chunk,
                page,
                ChangeBody.getUnsignedShort(body, bodyAt + LAST_INSERT_AT),
                ChangeBody.getUnsignedShort(body, bodyAt + RUN_AT));
        NodeLayout.firstChild(chunk, page, ChangeBody.getInt(body, bodyAt + FIRST_CHILD_AT));

        int at = bodyAt + FENCES_AT;
        int prefix = prefixLength(body, at);
        PageMemory.putShort(chunk, page + NodeLayout.PREFIX_LENGTH_OFFSET, prefix);
        int lower = Varint.get(body, at);
        at += Varint.length(lower);
        int top = placeFence(chunk, page, heapEnd, body, at, lower, NodeLayout.HAS_LOWER);
        at += Math.max(0, lower - 1);
        int upper = Varint.get(body, at);
        at += Varint.length(upper);
        top = placeFence(chunk, page, top, body, at, upper, NodeLayout.HAS_UPPER);
        at += Math.max(0, upper - 1);
        placeRecords(chunk, page, top, body, at, level);
    }

    private static int placeFence(
            ByteBuffer chunk, int page, int top, byte[] body, int at, int coded, int flag) {
        if (coded == 0) {
            return top;
        }
        int length = coded - 1;
        int fence = top - length;
        boolean isLower = flag == NodeLayout.HAS_LOWER;
        int fenceField = isLower ? NodeLayout.LOWER_FENCE_OFFSET : NodeLayout.UPPER_FENCE_OFFSET;
        PageMemory.copyIn(chunk, page + fence, body, at, length);
        PageMemory.putShort(chunk, page + fenceField, fence);
        PageMemory.putShort(chunk, page + fenceField + Short.BYTES, length);
        PageMemory.putByte(
                chunk,
                page + NodeLayout.NODE_FLAGS_OFFSET,
                NodeLayout.nodeFlags(chunk, page) | flag);
        return fence;
    }

    private static void placeRecords(
            ByteBuffer chunk, int page, int heapTop, byte[] body, int countAt, int level) {
        int count = Varint.get(body, countAt);
        int at = countAt + Varint.length(count);
        int top = heapTop;
        for (int slot = 0; slot < count; slot++) {
            int length = Varint.get(body, at);
            at += Varint.length(length);
            top -= length;
            Invariants.check(
                    top >= NodeLayout.slotAt(0, count), "records fit their page", slot, count);
            PageMemory.copyIn(chunk, page + top, body, at, length);
            NodeLayout.slot(chunk, page, slot, headOf(body, at, length, level), top, length);
            at += length;
        }
        NodeLayout.slotCount(chunk, page, count);
        NodeLayout.heapTop(chunk, page, top);
    }

    /** The head of a record in an array. */
    static int headOf(byte[] bytes, int record, int length, int level) {
        if (level > 0) {
            return NodeSearch.head(bytes, record + InnerRecord.KEY_AT, record + length);
        }
        int suffixLength = Varint.get(bytes, record + 1);
        int suffixAt =
                record
                        + 1
                        + Varint.length(suffixLength)
                        + (bytes[record] & LeafRecord.HAS_VERSION) * Long.BYTES;
        return NodeSearch.head(bytes, suffixAt, suffixAt + suffixLength);
    }
}
