// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bodies of the redo records that concern a whole space or the ids. They name no page; the
 * space's id is in the body. Little-endian, fixed width; the table is in {@code
 * docs/format/space-header.md}.
 */
public final class SpaceRecords {
    /** Body of SPACE_CREATE: space id u32, checksum kinds u32, page count u32. */
    public static final int CREATE_BYTES = 12;

    /** Body of SPACE_DROP: space id u32. */
    public static final int DROP_BYTES = 4;

    /** Body of SPACE_SHRINK: space id u32, new page count u32. */
    public static final int SHRINK_BYTES = 8;

    /** Body of ID_HIGH_WATER: transaction id u64, tree id u32, space id u32; zero says nothing. */
    public static final int HIGH_WATER_BYTES = 16;

    private SpaceRecords() {}

    public static byte[] create(int spaceId, int checksumKinds, int pageCount) {
        return body(CREATE_BYTES).putInt(spaceId).putInt(checksumKinds).putInt(pageCount).array();
    }

    public static byte[] drop(int spaceId) {
        return body(DROP_BYTES).putInt(spaceId).array();
    }

    public static byte[] shrink(int spaceId, int newPageCount) {
        return body(SHRINK_BYTES).putInt(spaceId).putInt(newPageCount).array();
    }

    /** The highest ids given out so far; zero where the record says nothing of a kind. */
    public static byte[] highWater(long transactionId, int treeId, int spaceId) {
        return body(HIGH_WATER_BYTES).putLong(transactionId).putInt(treeId).putInt(spaceId).array();
    }

    /** The space of a create, drop or shrink record. */
    public static int spaceId(byte[] body, int offset) {
        return at(body, offset, Integer.BYTES).getInt();
    }

    /** The new page count of a shrink record, unsigned. */
    public static int newPageCount(byte[] body, int offset) {
        return at(body, offset, SHRINK_BYTES).getInt(offset + Integer.BYTES);
    }

    public static long highWaterTransactionId(byte[] body, int offset) {
        return at(body, offset, HIGH_WATER_BYTES).getLong(offset);
    }

    public static int highWaterTreeId(byte[] body, int offset) {
        return at(body, offset, HIGH_WATER_BYTES).getInt(offset + Long.BYTES);
    }

    public static int highWaterSpaceId(byte[] body, int offset) {
        return at(body, offset, HIGH_WATER_BYTES).getInt(offset + Long.BYTES + Integer.BYTES);
    }

    private static ByteBuffer body(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static ByteBuffer at(byte[] body, int offset, int bytes) {
        return ByteBuffer.wrap(body, offset, bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
