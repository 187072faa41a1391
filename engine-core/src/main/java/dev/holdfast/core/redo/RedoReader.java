// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.Varint;

/**
 * Steps through the records of a group that a scan has delivered. Reusable, for one thread.
 *
 * <p>The bytes have passed the checksums of their blocks; all the same nothing is taken from them
 * without a check of its range.
 */
public final class RedoReader {
    private static final String WHERE = "redo";

    private byte[] bytes = new byte[0];
    private int position;
    private int end;
    private long startLsn;
    private int type;
    private long pageId;
    private int bodyOffset;
    private int bodyLength;

    /** Sets the reader before the first record of a group. */
    public void reset(long groupStartLsn, byte[] payload, int offset, int length) {
        startLsn = groupStartLsn;
        bytes = payload;
        position = offset;
        end = offset + length;
    }

    /**
     * Steps to the next record.
     *
     * @return false if there is none
     * @throws CorruptionException if the bytes are no record
     */
    public boolean next() {
        if (position == end) {
            return false;
        }
        type = Byte.toUnsignedInt(byteAt());
        int flags = byteAt();
        int spaceId = varint();
        int pageNumber = varint();
        pageId = PageId.of(spaceId, pageNumber);
        bodyLength = varint();
        bodyOffset = position;
        if (type == 0 || flags != 0 || bodyLength < 0 || bodyLength > end - position) {
            throw malformed("type=" + type + ", flags=" + flags + ", bodyLength=" + bodyLength);
        }
        position += bodyLength;
        return true;
    }

    public int type() {
        return type;
    }

    /** The page that the record names; space 0, page 0 if it names none. */
    public long pageId() {
        return pageId;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int bodyOffset() {
        return bodyOffset;
    }

    public int bodyLength() {
        return bodyLength;
    }

    private byte byteAt() {
        if (position >= end) {
            throw malformed("end of group within a record");
        }
        byte value = bytes[position];
        position++;
        return value;
    }

    private int varint() {
        int length = Varint.lengthAt(bytes, position, end);
        if (length == Varint.NONE) {
            throw malformed("no varint: offset=" + position);
        }
        int value = Varint.get(bytes, position);
        position += length;
        return value;
    }

    private CorruptionException malformed(String found) {
        return new CorruptionException(
                "redo record is malformed: groupStartLsn=" + startLsn,
                WHERE,
                "a record within its group",
                found);
    }
}
