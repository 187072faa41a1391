// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A private copy of an undo record. Reused, so that following a chain allocates nothing new. */
public final class UndoVersion {
    private int type;
    private int treeId;
    private int status;
    private long transactionId;
    private int previousFlags;
    private long previousId;
    private long previousRoll;
    private int logPage;
    private int logOffset;
    private byte[] key = new byte[64];
    private int keyLength;
    private byte[] value = new byte[256];
    private int valueLength;

    /** Copies a record; lengths may be torn, then it throws {@code IndexOutOfBoundsException}. */
    void copy(ByteBuffer chunk, int entry) {
        type = UndoEntry.type(chunk, entry);
        treeId = UndoEntry.treeId(chunk, entry);
        status = UndoEntry.status(chunk, entry);
        transactionId = UndoEntry.transactionId(chunk, entry);
        previousFlags = UndoEntry.previousFlags(chunk, entry);
        previousId = UndoEntry.previousId(chunk, entry);
        previousRoll = UndoEntry.previousRoll(chunk, entry);
        logPage = UndoEntry.logPage(chunk, entry);
        logOffset = UndoEntry.logOffset(chunk, entry);
        keyLength = UndoEntry.keyLength(chunk, entry);
        valueLength = UndoEntry.valueLength(chunk, entry);
        int length = UndoEntry.recordBytes(keyLength, valueLength);
        if (type < UndoEntry.INSERT
                || type > UndoEntry.OVERFLOW_OWNED
                || length != UndoEntry.length(chunk, entry)) {
            throw new IndexOutOfBoundsException("not an undo record: type=" + type);
        }
        key = room(key, keyLength);
        value = room(value, valueLength);
        PageMemory.copyOut(chunk, entry + UndoEntry.KEY_OFFSET, key, 0, keyLength);
        PageMemory.copyOut(chunk, entry + UndoEntry.KEY_OFFSET + keyLength, value, 0, valueLength);
    }

    private static byte[] room(byte[] array, int length) {
        return array.length >= length ? array : new byte[Math.max(length, 2 * array.length)];
    }

    public int type() {
        return type;
    }

    public int treeId() {
        return treeId;
    }

    /** Whether its before-image owns nothing any more. */
    public boolean isPurged() {
        return (status & UndoEntry.STATUS_PURGED) != 0;
    }

    public long transactionId() {
        return transactionId;
    }

    /** The record flags of the version before the change. */
    public int previousFlags() {
        return previousFlags;
    }

    public long previousId() {
        return previousId;
    }

    public long previousRoll() {
        return previousRoll;
    }

    int logPage() {
        return logPage;
    }

    int logOffset() {
        return logOffset;
    }

    /** The key's bytes from 0 to {@link #keyLength}; valid until the next copy. */
    public byte[] key() {
        return key;
    }

    public int keyLength() {
        return keyLength;
    }

    /** The before-image's bytes from 0 to {@link #valueLength}; valid until the next copy. */
    public byte[] value() {
        return value;
    }

    public int valueLength() {
        return valueLength;
    }

    /** Whether it is of this row and this transaction. */
    boolean isOf(int tree, byte[] rowKey, int rowKeyLength, long transaction) {
        return treeId == tree
                && transactionId == transaction
                && Arrays.equals(key, 0, keyLength, rowKey, 0, rowKeyLength);
    }

    @Override
    public String toString() {
        return "type=" + type + ", treeId=" + treeId + ", transactionId=" + transactionId;
    }
}
