// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.Varint;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * A leaf's record: flags u8, key length varint, [transaction id u64, roll pointer u64], key behind
 * the page's prefix, value or overflow pointer.
 *
 * <p>The version is there only while somebody may need it (flag {@link #HAS_VERSION}); without it a
 * record is visible to all. A record is given as its chunk, its absolute offset and, where its end
 * matters, its length from the slot.
 *
 * <p><b>Latches:</b> none taken. The page is latched, or what is read is used only after a
 * validation; lengths from torn bytes are refused with {@code IndexOutOfBoundsException}.
 */
public final class LeafRecord {
    /** The row is deleted; the record stays until purge. */
    public static final int DELETED = 1;

    public static final int HAS_VERSION = 2;

    /** The value is an {@link OverflowPointer}. */
    public static final int OVERFLOW = 4;

    /** Reserved. */
    static final int COMPRESSED = 8;

    static final int KNOWN_FLAGS = DELETED | HAS_VERSION | OVERFLOW;

    public static final int VERSION_BYTES = 2 * Long.BYTES;

    private static final int KEY_LENGTH_AT = Byte.BYTES;

    private LeafRecord() {}

    public static int flags(ByteBuffer chunk, int record) {
        return PageMemory.getUnsignedByte(chunk, record);
    }

    public static boolean isDeleted(ByteBuffer chunk, int record) {
        return (flags(chunk, record) & DELETED) != 0;
    }

    public static boolean hasVersion(ByteBuffer chunk, int record) {
        return (flags(chunk, record) & HAS_VERSION) != 0;
    }

    public static boolean isOverflow(ByteBuffer chunk, int record) {
        return (flags(chunk, record) & OVERFLOW) != 0;
    }

    /** The writer's transaction id, 0 when the record has no version. */
    public static long txnId(ByteBuffer chunk, int record) {
        return hasVersion(chunk, record) ? PageMemory.getLong(chunk, versionAt(chunk, record)) : 0;
    }

    /** The roll pointer, 0 when the record has no version. */
    public static long roll(ByteBuffer chunk, int record) {
        return hasVersion(chunk, record)
                ? PageMemory.getLong(chunk, versionAt(chunk, record) + Long.BYTES)
                : 0;
    }

    /** Length of the key behind the page's prefix. */
    public static int suffixLength(ByteBuffer chunk, int record) {
        return Varint.getShort(chunk, record + KEY_LENGTH_AT);
    }

    /** Absolute offset of the key behind the page's prefix. */
    public static int suffixAt(ByteBuffer chunk, int record) {
        return versionAt(chunk, record) + (flags(chunk, record) & HAS_VERSION) * Long.BYTES;
    }

    /** Absolute offset of the value or overflow pointer. */
    public static int valueAt(ByteBuffer chunk, int record) {
        return suffixAt(chunk, record) + suffixLength(chunk, record);
    }

    /** Length of the value as stored: of the pointer if it overflows. */
    public static int valueLength(ByteBuffer chunk, int record, int recordLength) {
        int length = record + recordLength - valueAt(chunk, record);
        if (length < 0) {
            throw new IndexOutOfBoundsException(length);
        }
        return length;
    }

    private static int versionAt(ByteBuffer chunk, int record) {
        int keyLengthAt = record + KEY_LENGTH_AT;
        return keyLengthAt + (PageMemory.getByte(chunk, keyLengthAt) < 0 ? 2 : 1);
    }

    /** Bytes of a record. */
    static int bytes(int flags, int suffixLength, int valueLength) {
        return KEY_LENGTH_AT
                + Varint.length(suffixLength)
                + (flags & HAS_VERSION) * Long.BYTES
                + suffixLength
                + valueLength;
    }

    /** Appends the parts before the key. */
    static void putHeader(ChangeBody body, int flags, int suffixLength, long txnId, long roll) {
        body.putByte(flags);
        body.putVarint(suffixLength);
        putVersion(body, flags, txnId, roll);
    }

    static void putVersion(ChangeBody body, int flags, long txnId, long roll) {
        if ((flags & HAS_VERSION) != 0) {
            body.putLong(txnId);
            body.putLong(roll);
        }
    }

    static {
        assert HAS_VERSION * Long.BYTES == VERSION_BYTES : "the flag's value scales to the bytes";
    }
}
