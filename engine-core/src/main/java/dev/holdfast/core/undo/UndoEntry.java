// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of the entries of an undo page: log headers and undo records.
 *
 * <p>The byte tables are {@code docs/format/undo-entry.md}. An entry bears its length at both ends,
 * so purge walks forward and rollback backward. An undo record repeats tree, key and transaction of
 * the change that it undoes: a reader that followed a stale pointer finds out by them.
 *
 * <p>All methods take the chunk and the absolute offset of the entry. <b>Latches:</b> as for {@link
 * UndoPage}.
 */
public final class UndoEntry {
    /** Begins the log of a transaction. */
    public static final int LOG_HEADER = 1;

    /** The row did not exist before. */
    public static final int INSERT = 2;

    /** The row had the version and the value that the record holds. */
    public static final int UPDATE = 3;

    /** The row was marked as deleted; it keeps its value until purge removes it. */
    public static final int DELETE = 4;

    /** An overflow chain exists that no row refers to yet. */
    public static final int OVERFLOW_OWNED = 5;

    /** States of a log header. A log that was rolled back to its beginning does not exist. */
    public static final int LOG_ACTIVE = 1;

    public static final int LOG_COMMITTED = 2;

    /** Status bit of a record whose before-image owns nothing any more. */
    public static final int STATUS_PURGED = 1;

    public static final int LENGTH_OFFSET = 0;
    public static final int TYPE_OFFSET = LENGTH_OFFSET + Short.BYTES;

    public static final int LOG_STATE_OFFSET = TYPE_OFFSET + Byte.BYTES;
    public static final int LOG_RESERVED_OFFSET = LOG_STATE_OFFSET + Byte.BYTES;
    public static final int LOG_TRANSACTION_ID_OFFSET = LOG_RESERVED_OFFSET + Integer.BYTES;
    public static final int LOG_COMMIT_LSN_OFFSET = LOG_TRANSACTION_ID_OFFSET + Long.BYTES;
    static final int LOG_HEADER_BYTES = LOG_COMMIT_LSN_OFFSET + Long.BYTES + Short.BYTES;

    public static final int PREVIOUS_FLAGS_OFFSET = TYPE_OFFSET + Byte.BYTES;
    public static final int STATUS_OFFSET = PREVIOUS_FLAGS_OFFSET + Byte.BYTES;
    public static final int RESERVED_OFFSET = STATUS_OFFSET + Byte.BYTES;
    public static final int LOG_OFFSET_OFFSET = RESERVED_OFFSET + Byte.BYTES;
    public static final int LOG_PAGE_OFFSET = LOG_OFFSET_OFFSET + Short.BYTES;
    public static final int TREE_ID_OFFSET = LOG_PAGE_OFFSET + Integer.BYTES;
    public static final int TRANSACTION_ID_OFFSET = TREE_ID_OFFSET + Integer.BYTES;
    public static final int PREVIOUS_ID_OFFSET = TRANSACTION_ID_OFFSET + Long.BYTES;
    public static final int PREVIOUS_ROLL_OFFSET = PREVIOUS_ID_OFFSET + Long.BYTES;
    public static final int KEY_LENGTH_OFFSET = PREVIOUS_ROLL_OFFSET + Long.BYTES;
    public static final int VALUE_LENGTH_OFFSET = KEY_LENGTH_OFFSET + Short.BYTES;
    public static final int KEY_OFFSET = VALUE_LENGTH_OFFSET + Short.BYTES;

    private UndoEntry() {}

    /** The bytes of a record with such a key and such a value. */
    public static int recordBytes(int keyLength, int valueLength) {
        return KEY_OFFSET + keyLength + valueLength + Short.BYTES;
    }

    static void writeLogHeader(ByteBuffer chunk, int entry, long transactionId) {
        PageMemory.putShort(chunk, entry + LENGTH_OFFSET, LOG_HEADER_BYTES);
        PageMemory.putByte(chunk, entry + TYPE_OFFSET, LOG_HEADER);
        PageMemory.putByte(chunk, entry + LOG_STATE_OFFSET, LOG_ACTIVE);
        PageMemory.putInt(chunk, entry + LOG_RESERVED_OFFSET, 0);
        PageMemory.putLong(chunk, entry + LOG_TRANSACTION_ID_OFFSET, transactionId);
        PageMemory.putLong(chunk, entry + LOG_COMMIT_LSN_OFFSET, 0);
        writeTrailingLength(chunk, entry, LOG_HEADER_BYTES);
    }

    /** Writes a record whole. */
    static void writeRecord(
            ByteBuffer chunk, int entry, int logPage, int logOffset, UndoImage image) {
        int length = recordBytes(image.keyLength, image.valueLength);
        PageMemory.putShort(chunk, entry + LENGTH_OFFSET, length);
        PageMemory.putByte(chunk, entry + TYPE_OFFSET, image.type);
        PageMemory.putByte(chunk, entry + PREVIOUS_FLAGS_OFFSET, image.previousFlags);
        PageMemory.putByte(chunk, entry + STATUS_OFFSET, 0);
        PageMemory.putByte(chunk, entry + RESERVED_OFFSET, 0);
        PageMemory.putShort(chunk, entry + LOG_OFFSET_OFFSET, logOffset);
        PageMemory.putInt(chunk, entry + LOG_PAGE_OFFSET, logPage);
        PageMemory.putInt(chunk, entry + TREE_ID_OFFSET, image.treeId);
        PageMemory.putLong(chunk, entry + TRANSACTION_ID_OFFSET, image.transactionId);
        PageMemory.putLong(chunk, entry + PREVIOUS_ID_OFFSET, image.previousId);
        PageMemory.putLong(chunk, entry + PREVIOUS_ROLL_OFFSET, image.previousRoll);
        PageMemory.putShort(chunk, entry + KEY_LENGTH_OFFSET, image.keyLength);
        PageMemory.putShort(chunk, entry + VALUE_LENGTH_OFFSET, image.valueLength);
        PageMemory.copyIn(chunk, entry + KEY_OFFSET, image.key, 0, image.keyLength);
        if (image.valueLength > 0) {
            PageMemory.copy(
                    image.valueChunk,
                    image.valueOffset,
                    chunk,
                    entry + KEY_OFFSET + image.keyLength,
                    image.valueLength);
        }
        writeTrailingLength(chunk, entry, length);
    }

    private static void writeTrailingLength(ByteBuffer chunk, int entry, int length) {
        PageMemory.putShort(chunk, entry + length - Short.BYTES, length);
    }

    public static int length(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedShort(chunk, entry + LENGTH_OFFSET);
    }

    /** The length of the entry that ends at an offset. */
    static int lengthBefore(ByteBuffer chunk, int end) {
        return PageMemory.getUnsignedShort(chunk, end - Short.BYTES);
    }

    public static int type(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedByte(chunk, entry + TYPE_OFFSET);
    }

    static int logState(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedByte(chunk, entry + LOG_STATE_OFFSET);
    }

    static long logTransactionId(ByteBuffer chunk, int entry) {
        return PageMemory.getLong(chunk, entry + LOG_TRANSACTION_ID_OFFSET);
    }

    static long logCommitLsn(ByteBuffer chunk, int entry) {
        return PageMemory.getLong(chunk, entry + LOG_COMMIT_LSN_OFFSET);
    }

    /** The record flags of the version before the change. */
    public static int previousFlags(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedByte(chunk, entry + PREVIOUS_FLAGS_OFFSET);
    }

    static int status(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedByte(chunk, entry + STATUS_OFFSET);
    }

    static int logPage(ByteBuffer chunk, int entry) {
        return PageMemory.getInt(chunk, entry + LOG_PAGE_OFFSET);
    }

    static int logOffset(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedShort(chunk, entry + LOG_OFFSET_OFFSET);
    }

    public static int treeId(ByteBuffer chunk, int entry) {
        return PageMemory.getInt(chunk, entry + TREE_ID_OFFSET);
    }

    public static long transactionId(ByteBuffer chunk, int entry) {
        return PageMemory.getLong(chunk, entry + TRANSACTION_ID_OFFSET);
    }

    /** The transaction of the version before the change; zero when it bore none. */
    public static long previousId(ByteBuffer chunk, int entry) {
        return PageMemory.getLong(chunk, entry + PREVIOUS_ID_OFFSET);
    }

    public static long previousRoll(ByteBuffer chunk, int entry) {
        return PageMemory.getLong(chunk, entry + PREVIOUS_ROLL_OFFSET);
    }

    public static int keyLength(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedShort(chunk, entry + KEY_LENGTH_OFFSET);
    }

    public static int valueLength(ByteBuffer chunk, int entry) {
        return PageMemory.getUnsignedShort(chunk, entry + VALUE_LENGTH_OFFSET);
    }
}
