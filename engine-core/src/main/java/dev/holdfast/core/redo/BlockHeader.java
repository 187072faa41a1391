// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Layout of the header of a redo block. The byte table is {@code docs/format/redo-block.md}; this
 * class is the only code that knows the offsets.
 */
final class BlockHeader {
    /*
     * A block whose dataLength is less than the payload is an open tail: it was written without a
     * sync and may have been written again with more. Only a block that is full, padding counted,
     * vouches that nothing of it is missing; a reader goes from no other block to the next one of
     * the same epoch. Without this rule the old version of a tail, left by a lost write, would join
     * the block behind it.
     */

    static final int CHECKSUM_OFFSET = 0;
    static final int EPOCH_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    static final int UUID_HIGH_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int UUID_LOW_OFFSET = UUID_HIGH_OFFSET + Long.BYTES;
    static final int BLOCK_LSN_OFFSET = UUID_LOW_OFFSET + Long.BYTES;
    static final int EPOCH_START_LSN_OFFSET = BLOCK_LSN_OFFSET + Long.BYTES;
    static final int DURABLE_THROUGH_OFFSET = EPOCH_START_LSN_OFFSET + Long.BYTES;
    static final int DATA_LENGTH_OFFSET = DURABLE_THROUGH_OFFSET + Long.BYTES;
    static final int FIRST_GROUP_OFFSET = DATA_LENGTH_OFFSET + Short.BYTES;
    static final int STREAM_ID_OFFSET = FIRST_GROUP_OFFSET + Short.BYTES;
    static final int FLAGS_OFFSET = STREAM_ID_OFFSET + Byte.BYTES;
    static final int RESERVED_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    static final int KEY_ID_OFFSET = RESERVED_OFFSET + Short.BYTES;
    static final int RESERVED_TOO_OFFSET = KEY_ID_OFFSET + Integer.BYTES;
    static final int BYTES = RESERVED_TOO_OFFSET + Integer.BYTES;

    /** No group begins in the block. */
    static final int NO_GROUP = 0xFFFF;

    private static final int CHECKED_FROM = CHECKSUM_OFFSET + Integer.BYTES;

    static {
        assert BYTES == 64 : "bytes=" + BYTES;
        assert BLOCK_LSN_OFFSET % Long.BYTES == 0 : "longs are aligned";
    }

    private BlockHeader() {}

    /** What all blocks that one log writes have in common. */
    record Identity(UUID store, int epoch, long epochStartLsn) {}

    /** Writes the header of a block whose payload is in place, and seals the block. */
    static void seal(
            ByteBuffer chunk,
            int offset,
            Identity identity,
            long blockLsn,
            long durableThrough,
            int dataLength,
            int firstGroup) {
        assert blockLsn % Lsn.BLOCK_BYTES == 0 : "blockLsn=" + blockLsn;
        assert dataLength > 0 && dataLength <= Lsn.PAYLOAD : "dataLength=" + dataLength;
        assert durableThrough < blockLsn + Lsn.BLOCK_BYTES : "durableThrough=" + durableThrough;

        PageMemory.putInt(chunk, offset + EPOCH_OFFSET, identity.epoch());
        long high = identity.store().getMostSignificantBits();
        long low = identity.store().getLeastSignificantBits();
        PageMemory.putLong(chunk, offset + UUID_HIGH_OFFSET, high);
        PageMemory.putLong(chunk, offset + UUID_LOW_OFFSET, low);
        PageMemory.putLong(chunk, offset + BLOCK_LSN_OFFSET, blockLsn);
        PageMemory.putLong(chunk, offset + EPOCH_START_LSN_OFFSET, identity.epochStartLsn());
        PageMemory.putLong(chunk, offset + DURABLE_THROUGH_OFFSET, durableThrough);
        PageMemory.putShort(chunk, offset + DATA_LENGTH_OFFSET, dataLength);
        PageMemory.putShort(chunk, offset + FIRST_GROUP_OFFSET, firstGroup);
        PageMemory.fill(chunk, offset + STREAM_ID_OFFSET, BYTES - STREAM_ID_OFFSET, (byte) 0);
        PageMemory.putInt(chunk, offset + CHECKSUM_OFFSET, checksum(chunk, offset));
        assert isSound(chunk, offset, identity.store()) : "sealed and unsound: lsn=" + blockLsn;
    }

    /** Whether this is a block of the store's log and as it was written; says not which block. */
    static boolean isSound(ByteBuffer chunk, int offset, UUID store) {
        return isOf(chunk, offset, store)
                && PageMemory.getInt(chunk, offset + CHECKSUM_OFFSET) == checksum(chunk, offset)
                && hasLegalFields(chunk, offset);
    }

    /** Whether the block bears the store's id; cheap, and no proof of anything. */
    static boolean isOf(ByteBuffer chunk, int offset, UUID store) {
        return PageMemory.getLong(chunk, offset + UUID_HIGH_OFFSET)
                        == store.getMostSignificantBits()
                && PageMemory.getLong(chunk, offset + UUID_LOW_OFFSET)
                        == store.getLeastSignificantBits();
    }

    private static boolean hasLegalFields(ByteBuffer chunk, int offset) {
        int dataLength = dataLength(chunk, offset);
        int first = firstGroup(chunk, offset);
        long blockLsn = blockLsn(chunk, offset);
        return dataLength > 0
                && dataLength <= Lsn.PAYLOAD
                && dataLength % Lsn.ALIGNMENT == 0
                && (first == NO_GROUP || (first < dataLength && first % Lsn.ALIGNMENT == 0))
                && blockLsn > 0
                && blockLsn % Lsn.BLOCK_BYTES == 0
                && epoch(chunk, offset) > 0
                && epochStartLsn(chunk, offset) <= blockLsn
                && PageMemory.getInt(chunk, offset + STREAM_ID_OFFSET) == 0
                && PageMemory.getLong(chunk, offset + KEY_ID_OFFSET) == 0;
    }

    static int epoch(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + EPOCH_OFFSET);
    }

    static long blockLsn(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + BLOCK_LSN_OFFSET);
    }

    static long epochStartLsn(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + EPOCH_START_LSN_OFFSET);
    }

    static long durableThrough(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + DURABLE_THROUGH_OFFSET);
    }

    static int dataLength(ByteBuffer chunk, int offset) {
        return PageMemory.getUnsignedShort(chunk, offset + DATA_LENGTH_OFFSET);
    }

    static int firstGroup(ByteBuffer chunk, int offset) {
        return PageMemory.getUnsignedShort(chunk, offset + FIRST_GROUP_OFFSET);
    }

    private static int checksum(ByteBuffer chunk, int offset) {
        return PageChecksums.CRC32C.compute(
                chunk, offset + CHECKED_FROM, Lsn.BLOCK_BYTES - CHECKED_FROM);
    }
}
