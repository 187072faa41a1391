// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Reads blocks of the stream one after the other, in large transfers. */
final class BlockReader {
    private static final int BUFFER_BLOCKS = 256;

    private final RedoSegments segments;
    private final UUID store;
    private final ByteBuffer buffer;
    private long firstBlock;
    private int count;
    private int offset;

    BlockReader(RedoSegments segments, UUID store) {
        this.segments = segments;
        this.store = store;
        long blocks = Math.min(BUFFER_BLOCKS, segments.layout().blocksPerSegment());
        buffer = AlignedBuffers.allocate((int) blocks * Lsn.BLOCK_BYTES);
    }

    /**
     * Makes a block current, from the buffer if it is there.
     *
     * @param endBlock no block from this one on will be asked for
     */
    void moveTo(long block, long endBlock) throws IOException {
        if (block < firstBlock || block >= firstBlock + count) {
            long wanted = Math.min(endBlock - block, segments.layout().blocksToSegmentEnd(block));
            count = (int) Math.min(wanted, buffer.capacity() / Lsn.BLOCK_BYTES);
            firstBlock = block;
            segments.read(block, buffer.clear().limit(count * Lsn.BLOCK_BYTES));
        }
        offset = (int) (block - firstBlock) * Lsn.BLOCK_BYTES;
    }

    /** Whether the current block is a sound one of the stream at that place. */
    boolean isBlock(long block) {
        return blockLsn() == block * Lsn.BLOCK_BYTES && isSound();
    }

    /** Whether the current block is a sound one, of whatever place in the stream. */
    boolean isSound() {
        return BlockHeader.isSound(buffer, offset, store);
    }

    long blockLsn() {
        return BlockHeader.blockLsn(buffer, offset);
    }

    int epoch() {
        return BlockHeader.epoch(buffer, offset);
    }

    long epochStartLsn() {
        return BlockHeader.epochStartLsn(buffer, offset);
    }

    long durableThrough() {
        return BlockHeader.durableThrough(buffer, offset);
    }

    int dataLength() {
        return BlockHeader.dataLength(buffer, offset);
    }

    int firstGroup() {
        return BlockHeader.firstGroup(buffer, offset);
    }

    void copyOut(int payloadOffset, byte[] target, int targetOffset, int length) {
        buffer.get(offset + BlockHeader.BYTES + payloadOffset, target, targetOffset, length);
    }
}
