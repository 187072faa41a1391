// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Layout of the first block of a redo segment. The byte table is {@code
 * docs/format/redo-segment.md}; this class is the only code that knows the offsets.
 */
final class SegmentHeader {
    static final int CHECKSUM_OFFSET = 0;
    static final int VERSION_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    static final int MAGIC_OFFSET = VERSION_OFFSET + Integer.BYTES;
    static final int UUID_HIGH_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int UUID_LOW_OFFSET = UUID_HIGH_OFFSET + Long.BYTES;
    static final int SEGMENT_BYTES_OFFSET = UUID_LOW_OFFSET + Long.BYTES;
    static final int SEGMENT_INDEX_OFFSET = SEGMENT_BYTES_OFFSET + Long.BYTES;
    static final int SEGMENT_COUNT_OFFSET = SEGMENT_INDEX_OFFSET + Integer.BYTES;
    static final int INCOMPATIBLE_FEATURES_OFFSET = SEGMENT_COUNT_OFFSET + Integer.BYTES;
    static final int COMPATIBLE_FEATURES_OFFSET = INCOMPATIBLE_FEATURES_OFFSET + Integer.BYTES;
    static final int KEY_ID_OFFSET = COMPATIBLE_FEATURES_OFFSET + Integer.BYTES;
    static final int RESERVED_OFFSET = KEY_ID_OFFSET + Integer.BYTES;

    /** "HFREDOSG", the first letter in the lowest byte. */
    static final long MAGIC = 0x47534F4445524648L;

    static final int VERSION = 1;

    private static final int CHECKED_FROM = CHECKSUM_OFFSET + Integer.BYTES;

    private SegmentHeader() {}

    /** Fills the block at the start of the chunk. */
    static void write(ByteBuffer chunk, UUID store, RedoLayout layout, int segment) {
        PageMemory.fill(chunk, 0, Lsn.BLOCK_BYTES, (byte) 0);
        PageMemory.putInt(chunk, VERSION_OFFSET, VERSION);
        PageMemory.putLong(chunk, MAGIC_OFFSET, MAGIC);
        PageMemory.putLong(chunk, UUID_HIGH_OFFSET, store.getMostSignificantBits());
        PageMemory.putLong(chunk, UUID_LOW_OFFSET, store.getLeastSignificantBits());
        PageMemory.putLong(chunk, SEGMENT_BYTES_OFFSET, layout.segmentBytes());
        PageMemory.putInt(chunk, SEGMENT_INDEX_OFFSET, segment);
        PageMemory.putInt(chunk, SEGMENT_COUNT_OFFSET, layout.segmentCount());
        PageMemory.putInt(chunk, CHECKSUM_OFFSET, checksum(chunk));
    }

    /** Throws unless the block at the start of the chunk is the header of that segment. */
    static void check(ByteBuffer chunk, String file, UUID store, RedoLayout layout, int segment) {
        require(file, "magic", MAGIC, PageMemory.getLong(chunk, MAGIC_OFFSET));
        require(file, "checksum", checksum(chunk), PageMemory.getInt(chunk, CHECKSUM_OFFSET));
        int version = PageMemory.getInt(chunk, VERSION_OFFSET);
        int features = PageMemory.getInt(chunk, INCOMPATIBLE_FEATURES_OFFSET);
        if (version != VERSION || features != 0) {
            throw new FormatException(
                    "redo segment of another version",
                    file,
                    "version=" + VERSION + ", incompatibleFeatures=0",
                    "version=" + version + ", incompatibleFeatures=" + features);
        }
        UUID found =
                new UUID(
                        PageMemory.getLong(chunk, UUID_HIGH_OFFSET),
                        PageMemory.getLong(chunk, UUID_LOW_OFFSET));
        if (!found.equals(store)) {
            throw new CorruptionException(
                    "redo segment of another store", file, "uuid=" + store, "uuid=" + found);
        }
        long segmentBytes = PageMemory.getLong(chunk, SEGMENT_BYTES_OFFSET);
        require(file, "segmentBytes", layout.segmentBytes(), segmentBytes);
        require(file, "segmentIndex", segment, PageMemory.getInt(chunk, SEGMENT_INDEX_OFFSET));
        int segmentCount = PageMemory.getInt(chunk, SEGMENT_COUNT_OFFSET);
        require(file, "segmentCount", layout.segmentCount(), segmentCount);
    }

    private static void require(String file, String field, long expected, long found) {
        if (expected != found) {
            throw new CorruptionException(
                    "header of a redo segment is wrong",
                    file,
                    field + "=" + expected,
                    field + "=" + found);
        }
    }

    private static int checksum(ByteBuffer chunk) {
        return PageChecksums.CRC32C.compute(chunk, CHECKED_FROM, Lsn.BLOCK_BYTES - CHECKED_FROM);
    }
}
