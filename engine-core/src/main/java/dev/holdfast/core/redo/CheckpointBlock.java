// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Layout of a block of the checkpoint file. The byte table is {@code docs/format/checkpoint.md};
 * this class is the only code that knows the offsets.
 */
final class CheckpointBlock {
    static final int CHECKSUM_OFFSET = 0;
    static final int VERSION_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    static final int MAGIC_OFFSET = VERSION_OFFSET + Integer.BYTES;
    static final int UUID_HIGH_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int UUID_LOW_OFFSET = UUID_HIGH_OFFSET + Long.BYTES;
    static final int SEQUENCE_OFFSET = UUID_LOW_OFFSET + Long.BYTES;
    static final int CHECKPOINT_LSN_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    static final int EPOCH_START_LSN_OFFSET = CHECKPOINT_LSN_OFFSET + Long.BYTES;
    static final int DURABLE_THROUGH_OFFSET = EPOCH_START_LSN_OFFSET + Long.BYTES;
    static final int TRANSACTION_ID_HIGH_WATER_OFFSET = DURABLE_THROUGH_OFFSET + Long.BYTES;
    static final int SEGMENT_BYTES_OFFSET = TRANSACTION_ID_HIGH_WATER_OFFSET + Long.BYTES;
    static final int EPOCH_OFFSET = SEGMENT_BYTES_OFFSET + Long.BYTES;
    static final int TREE_ID_HIGH_WATER_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int SPACE_ID_HIGH_WATER_OFFSET = TREE_ID_HIGH_WATER_OFFSET + Integer.BYTES;
    static final int PAGE_BYTES_OFFSET = SPACE_ID_HIGH_WATER_OFFSET + Integer.BYTES;
    static final int SEGMENT_COUNT_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;
    static final int INCOMPATIBLE_FEATURES_OFFSET = SEGMENT_COUNT_OFFSET + Integer.BYTES;
    static final int COMPATIBLE_FEATURES_OFFSET = INCOMPATIBLE_FEATURES_OFFSET + Integer.BYTES;
    static final int KEY_ID_OFFSET = COMPATIBLE_FEATURES_OFFSET + Integer.BYTES;
    static final int CLEAN_CLOSE_OFFSET = KEY_ID_OFFSET + Integer.BYTES;
    static final int RESERVED_OFFSET = CLEAN_CLOSE_OFFSET + Byte.BYTES;

    /** The length of a block. */
    static final int BYTES = 4096;

    /** "HFCHECKP", the first letter in the lowest byte. */
    static final long MAGIC = 0x504B434548434648L;

    static final int VERSION = 1;

    private static final int CHECKED_FROM = CHECKSUM_OFFSET + Integer.BYTES;

    private CheckpointBlock() {}

    static void write(ByteBuffer chunk, int offset, UUID store, CheckpointRecord record) {
        PageMemory.fill(chunk, offset, BYTES, (byte) 0);
        PageMemory.putInt(chunk, offset + VERSION_OFFSET, VERSION);
        PageMemory.putLong(chunk, offset + MAGIC_OFFSET, MAGIC);
        PageMemory.putLong(chunk, offset + UUID_HIGH_OFFSET, store.getMostSignificantBits());
        PageMemory.putLong(chunk, offset + UUID_LOW_OFFSET, store.getLeastSignificantBits());
        PageMemory.putLong(chunk, offset + SEQUENCE_OFFSET, record.sequence());
        PageMemory.putLong(chunk, offset + CHECKPOINT_LSN_OFFSET, record.checkpointLsn());
        PageMemory.putLong(chunk, offset + EPOCH_START_LSN_OFFSET, record.epochStartLsn());
        PageMemory.putLong(chunk, offset + DURABLE_THROUGH_OFFSET, record.durableThrough());
        PageMemory.putLong(
                chunk, offset + TRANSACTION_ID_HIGH_WATER_OFFSET, record.transactionIdHighWater());
        PageMemory.putLong(chunk, offset + SEGMENT_BYTES_OFFSET, record.layout().segmentBytes());
        PageMemory.putInt(chunk, offset + EPOCH_OFFSET, record.epoch());
        PageMemory.putInt(chunk, offset + TREE_ID_HIGH_WATER_OFFSET, record.treeIdHighWater());
        PageMemory.putInt(chunk, offset + SPACE_ID_HIGH_WATER_OFFSET, record.spaceIdHighWater());
        PageMemory.putInt(chunk, offset + PAGE_BYTES_OFFSET, record.pageBytes());
        PageMemory.putInt(chunk, offset + SEGMENT_COUNT_OFFSET, record.layout().segmentCount());
        PageMemory.putByte(chunk, offset + CLEAN_CLOSE_OFFSET, record.cleanClose() ? 1 : 0);
        PageMemory.putInt(chunk, offset + CHECKSUM_OFFSET, checksum(chunk, offset));
    }

    /** Whether the block is as it was written, by whatever version. */
    static boolean isWhole(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + MAGIC_OFFSET) == MAGIC
                && PageMemory.getInt(chunk, offset + CHECKSUM_OFFSET) == checksum(chunk, offset);
    }

    static int version(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + VERSION_OFFSET);
    }

    static int incompatibleFeatures(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + INCOMPATIBLE_FEATURES_OFFSET);
    }

    static UUID store(ByteBuffer chunk, int offset) {
        return new UUID(
                PageMemory.getLong(chunk, offset + UUID_HIGH_OFFSET),
                PageMemory.getLong(chunk, offset + UUID_LOW_OFFSET));
    }

    /** Whether a whole block of this version can be read as a record. */
    static boolean isLegal(ByteBuffer chunk, int offset) {
        return RedoLayout.isLegal(
                        PageMemory.getInt(chunk, offset + SEGMENT_COUNT_OFFSET),
                        PageMemory.getLong(chunk, offset + SEGMENT_BYTES_OFFSET))
                && read(chunk, offset).isPlausible();
    }

    /** Reads a legal block. */
    static CheckpointRecord read(ByteBuffer chunk, int offset) {
        return new CheckpointRecord(
                PageMemory.getLong(chunk, offset + SEQUENCE_OFFSET),
                PageMemory.getLong(chunk, offset + CHECKPOINT_LSN_OFFSET),
                PageMemory.getInt(chunk, offset + EPOCH_OFFSET),
                PageMemory.getLong(chunk, offset + EPOCH_START_LSN_OFFSET),
                PageMemory.getLong(chunk, offset + DURABLE_THROUGH_OFFSET),
                PageMemory.getLong(chunk, offset + TRANSACTION_ID_HIGH_WATER_OFFSET),
                PageMemory.getInt(chunk, offset + TREE_ID_HIGH_WATER_OFFSET),
                PageMemory.getInt(chunk, offset + SPACE_ID_HIGH_WATER_OFFSET),
                PageMemory.getByte(chunk, offset + CLEAN_CLOSE_OFFSET) != 0,
                PageMemory.getInt(chunk, offset + PAGE_BYTES_OFFSET),
                new RedoLayout(
                        PageMemory.getInt(chunk, offset + SEGMENT_COUNT_OFFSET),
                        PageMemory.getLong(chunk, offset + SEGMENT_BYTES_OFFSET)));
    }

    private static int checksum(ByteBuffer chunk, int offset) {
        return PageChecksums.CRC32C.compute(chunk, offset + CHECKED_FROM, BYTES - CHECKED_FROM);
    }
}
