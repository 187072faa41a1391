// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Writes the bodies of {@link NodeChange}s.
 *
 * <p><b>Latches:</b> pages read are latched exclusively, so that what is written still holds when
 * it is applied. The body is cleared first.
 */
final class NodeEdit {
    private NodeEdit() {}

    static void leafInsert(
            ChangeBody body,
            int slot,
            int flags,
            long txnId,
            long roll,
            byte[] key,
            int prefix,
            int keyLength,
            byte[] value,
            int valueOffset,
            int valueLength) {
        body.clear().putVarint(slot);
        LeafRecord.putHeader(body, flags, keyLength - prefix, txnId, roll);
        body.putBytes(key, prefix, keyLength - prefix);
        body.putBytes(value, valueOffset, valueLength);
    }

    static void leafRemove(ChangeBody body, int slot) {
        body.clear().putVarint(slot);
    }

    static void leafReplace(
            ChangeBody body,
            int slot,
            int flags,
            long txnId,
            long roll,
            byte[] value,
            int valueOffset,
            int valueLength) {
        leafHeader(body, slot, flags, txnId, roll);
        body.putBytes(value, valueOffset, valueLength);
    }

    static void leafHeader(ChangeBody body, int slot, int flags, long txnId, long roll) {
        body.clear().putVarint(slot);
        body.putByte(flags);
        LeafRecord.putVersion(body, flags, txnId, roll);
    }

    /**
     * Lists the live records whose version is settled.
     *
     * @return the bytes that the page wins when it is compacted with this list, its garbage apart
     */
    static int dropSettled(ChangeBody body, ByteBuffer chunk, int page, SettledVersions settled) {
        int count = NodeLayout.slotCount(chunk, page);
        int drops = 0;
        for (int slot = 0; slot < count; slot++) {
            if (mayDrop(chunk, page, slot, settled)) {
                drops++;
            }
        }
        body.clear().putVarint(drops);
        int listed = 0;
        int last = 0;
        // asked once more, a version can only have become settled: the count bounds the list
        for (int slot = 0; slot < count && listed < drops; slot++) {
            if (mayDrop(chunk, page, slot, settled)) {
                body.putVarint(slot - last);
                last = slot;
                listed++;
            }
        }
        return drops * LeafRecord.VERSION_BYTES;
    }

    private static boolean mayDrop(ByteBuffer chunk, int page, int slot, SettledVersions settled) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        int flags = LeafRecord.flags(chunk, record);
        return (flags & (LeafRecord.HAS_VERSION | LeafRecord.DELETED)) == LeafRecord.HAS_VERSION
                && settled.isSettled(LeafRecord.txnId(chunk, record));
    }

    static void cut(ChangeBody body, int keep, byte[] upper, int upperLength) {
        body.clear().putVarint(keep);
        NodeImage.putFence(body, upper, 0, upperLength);
    }

    /** The page behind a cut: slots from {@code keep} on, in an inner page without the first. */
    static void rightHalf(
            ChangeBody body, ByteBuffer chunk, int page, int keep, byte[] lower, int lowerLength) {
        int level = NodeLayout.level(chunk, page);
        int count = NodeLayout.slotCount(chunk, page);
        int from = level == 0 ? keep : keep + 1;
        int firstChild =
                level == 0 ? NodeLayout.NO_CHILD : InnerRecord.childAt(chunk, page, keep + 1);
        NodeImage.begin(body, level, NodeLayout.NO_INSERT, 0, firstChild);
        NodeImage.putFence(body, lower, 0, lowerLength);
        NodeImage.putUpperOf(body, chunk, page);
        int prefix = NodeImage.prefixLength(body);
        body.putVarint(count - from);
        NodeImage.putRecords(body, chunk, page, from, count, prefix);
    }

    /** The page before a cut, for a root's left child. */
    static void leftHalf(
            ChangeBody body, ByteBuffer chunk, int page, int keep, byte[] upper, int upperLength) {
        NodeImage.begin(
                body,
                NodeLayout.level(chunk, page),
                NodeLayout.lastInsert(chunk, page),
                NodeLayout.run(chunk, page),
                NodeLayout.firstChild(chunk, page));
        NodeImage.putLowerOf(body, chunk, page);
        NodeImage.putFence(body, upper, 0, upperLength);
        int prefix = NodeImage.prefixLength(body);
        body.putVarint(keep);
        NodeImage.putRecords(body, chunk, page, 0, keep, prefix);
    }

    /** A root above two children. */
    static void root(
            ChangeBody body, int level, int left, int right, byte[] separator, int length) {
        NodeImage.begin(body, level, NodeLayout.NO_INSERT, 0, left);
        NodeImage.putNoFence(body);
        NodeImage.putNoFence(body);
        body.putVarint(1);
        NodeImage.putSeparator(body, right, separator, length, 0);
    }

    static void emptyLeaf(ChangeBody body) {
        NodeImage.begin(body, 0, NodeLayout.NO_INSERT, 0, NodeLayout.NO_CHILD);
        NodeImage.putNoFence(body);
        NodeImage.putNoFence(body);
        body.putVarint(0);
    }

    /** The content of a page, whole: for a root that takes its only child's place. */
    static void copyOf(ChangeBody body, ByteBuffer chunk, int page) {
        NodeImage.begin(
                body,
                NodeLayout.level(chunk, page),
                NodeLayout.lastInsert(chunk, page),
                NodeLayout.run(chunk, page),
                NodeLayout.firstChild(chunk, page));
        NodeImage.putLowerOf(body, chunk, page);
        NodeImage.putUpperOf(body, chunk, page);
        int prefix = NodeImage.prefixLength(body);
        int count = NodeLayout.slotCount(chunk, page);
        body.putVarint(count);
        NodeImage.putRecords(body, chunk, page, 0, count, prefix);
    }

    /** Lower fence of one page, upper of another: the range of a run of neighbours. */
    static void fences(
            ChangeBody body, ByteBuffer lowerChunk, int lower, ByteBuffer upperChunk, int upper) {
        body.clear();
        NodeImage.putLowerOf(body, lowerChunk, lower);
        NodeImage.putUpperOf(body, upperChunk, upper);
    }

    /** Two neighbours in one; see {@link NodeSize#mergedBytesMax} for whether the page holds it. */
    static void merged(
            ChangeBody body, ByteBuffer leftChunk, int left, ByteBuffer rightChunk, int right) {
        int level = NodeLayout.level(leftChunk, left);
        NodeImage.begin(
                body, level, NodeLayout.NO_INSERT, 0, NodeLayout.firstChild(leftChunk, left));
        NodeImage.putLowerOf(body, leftChunk, left);
        NodeImage.putUpperOf(body, rightChunk, right);
        int prefix = NodeImage.prefixLength(body);
        int leftCount = NodeLayout.slotCount(leftChunk, left);
        int rightCount = NodeLayout.slotCount(rightChunk, right);
        body.putVarint(leftCount + rightCount + (level == 0 ? 0 : 1));
        NodeImage.putRecords(body, leftChunk, left, 0, leftCount, prefix);
        if (level > 0) {
            int length = NodeLayout.lowerFenceLength(rightChunk, right);
            int fence = right + NodeLayout.lowerFence(rightChunk, right);
            body.putVarint(InnerRecord.bytes(length - prefix));
            body.putInt(NodeLayout.firstChild(rightChunk, right));
            body.putBytes(rightChunk, fence + prefix, length - prefix);
        }
        NodeImage.putRecords(body, rightChunk, right, 0, rightCount, prefix);
    }

    static void innerInsert(
            ChangeBody body, int slot, int child, byte[] key, int prefix, int keyLength) {
        body.clear().putVarint(slot);
        body.putInt(child);
        body.putBytes(key, prefix, keyLength - prefix);
    }

    static void innerRemove(ChangeBody body, int slot, int slots, boolean rightSurvives) {
        body.clear().putVarint(slot);
        body.putVarint(slots);
        body.putByte(rightSurvives ? 1 : 0);
    }

    /** Copies the whole key of a slot, prefix included, and returns its length. */
    static int keyOf(ByteBuffer chunk, int page, int slot, byte[] target) {
        int prefix = NodeLayout.prefixLength(chunk, page);
        int record = NodeLayout.recordAt(chunk, page, slot);
        boolean isLeaf = NodeLayout.level(chunk, page) == 0;
        int suffixAt = isLeaf ? LeafRecord.suffixAt(chunk, record) : record + InnerRecord.KEY_AT;
        int suffixLength =
                isLeaf
                        ? LeafRecord.suffixLength(chunk, record)
                        : NodeLayout.recordLength(chunk, page, slot) - InnerRecord.KEY_AT;
        PageMemory.copyOut(chunk, page + NodeLayout.lowerFence(chunk, page), target, 0, prefix);
        PageMemory.copyOut(chunk, suffixAt, target, prefix, suffixLength);
        return prefix + suffixLength;
    }
}
