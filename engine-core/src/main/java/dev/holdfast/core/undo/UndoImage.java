// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import java.nio.ByteBuffer;

/**
 * What an undo record is to say. Filled by the transaction before each change and reused, so that a
 * change allocates nothing. The value is copied from where it lies, as a rule in the latched leaf.
 */
public final class UndoImage {
    /** {@link UndoEntry#INSERT}, {@code UPDATE}, {@code DELETE} or {@code OVERFLOW_OWNED}. */
    public int type;

    public int treeId;
    public long transactionId;
    public int previousFlags;
    public long previousId;
    public long previousRoll;
    public byte[] key;
    public int keyLength;
    public ByteBuffer valueChunk;
    public int valueOffset;
    public int valueLength;

    /** The bytes that the record will take. */
    public int recordBytes() {
        return UndoEntry.recordBytes(keyLength, valueLength);
    }

    /** A record without a value. */
    public UndoImage set(int recordType, int tree, long transaction, byte[] rowKey, int length) {
        type = recordType;
        treeId = tree;
        transactionId = transaction;
        key = rowKey;
        keyLength = length;
        return previous(0, 0, RollPointer.NONE).value(null, 0, 0);
    }

    /** The version before the change. */
    public UndoImage previous(int flags, long id, long roll) {
        previousFlags = flags;
        previousId = id;
        previousRoll = roll;
        return this;
    }

    /** The value before the change. */
    public UndoImage value(ByteBuffer chunk, int offset, int length) {
        valueChunk = chunk;
        valueOffset = offset;
        valueLength = length;
        return this;
    }
}
