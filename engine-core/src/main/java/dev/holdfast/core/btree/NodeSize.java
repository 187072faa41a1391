// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * What fits: asked under latches before a change, so that the change itself cannot fail.
 *
 * <p>Never too optimistic; where a prefix shrinks it may be too strict by a byte a record.
 */
final class NodeSize {
    private NodeSize() {}

    static boolean fitsInsert(ByteBuffer chunk, int page, int recordBytes) {
        return NodeLayout.totalFree(chunk, page) >= recordBytes + NodeLayout.SLOT_BYTES;
    }

    /** Whether a slot's record may become so long. */
    static boolean fitsReplace(ByteBuffer chunk, int page, int slot, int recordBytes) {
        return NodeLayout.totalFree(chunk, page) + NodeLayout.recordLength(chunk, page, slot)
                >= recordBytes;
    }

    /** At most so many bytes a page takes when its range becomes that of a run of neighbours. */
    static int widenedBytesMax(
            ByteBuffer chunk,
            int page,
            int pageBytes,
            ByteBuffer lowerChunk,
            int lower,
            ByteBuffer upperChunk,
            int upper) {
        int prefix = commonPrefix(lowerChunk, lower, upperChunk, upper);
        return fenceBytes(lowerChunk, lower, upperChunk, upper)
                + recordBytesMax(chunk, page, pageBytes, prefix);
    }

    /** At most so many bytes two neighbours take in one page. */
    static int mergedBytesMax(
            ByteBuffer leftChunk, int left, ByteBuffer rightChunk, int right, int pageBytes) {
        int prefix = commonPrefix(leftChunk, left, rightChunk, right);
        int separator =
                NodeLayout.level(leftChunk, left) == 0
                        ? 0
                        : NodeLayout.SLOT_BYTES
                                + InnerRecord.bytes(NodeLayout.lowerFenceLength(rightChunk, right));
        return fenceBytes(leftChunk, left, rightChunk, right)
                + separator
                + recordBytesMax(leftChunk, left, pageBytes, prefix)
                + recordBytesMax(rightChunk, right, pageBytes, prefix);
    }

    private static int recordBytesMax(ByteBuffer chunk, int page, int pageBytes, int newPrefix) {
        int growth = NodeLayout.prefixLength(chunk, page) - newPrefix;
        int perRecord = growth > 0 ? growth + 1 : 0;
        return NodeLayout.recordBytes(chunk, page, pageBytes)
                + NodeLayout.slotCount(chunk, page) * perRecord;
    }

    private static int fenceBytes(
            ByteBuffer lowerChunk, int lower, ByteBuffer upperChunk, int upper) {
        return NodeLayout.lowerFenceLength(lowerChunk, lower)
                + NodeLayout.upperFenceLength(upperChunk, upper);
    }

    private static int commonPrefix(
            ByteBuffer lowerChunk, int lower, ByteBuffer upperChunk, int upper) {
        return PageMemory.commonPrefix(
                lowerChunk,
                lower + NodeLayout.lowerFence(lowerChunk, lower),
                NodeLayout.lowerFenceLength(lowerChunk, lower),
                upperChunk,
                upper + NodeLayout.upperFence(upperChunk, upper),
                NodeLayout.upperFenceLength(upperChunk, upper));
    }
}
