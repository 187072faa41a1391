// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Redo records of some pages, copied from the log's reader and passed to whoever applies them.
 *
 * <p>Groups follow each other: {length u32 of all that follows, start LSN u64, end LSN u64,
 * records}; a record is {type u32, page id u64, body length u32, body}. Reused; owned by one thread
 * at a time.
 */
final class RedoBatch {
    private static final int BYTES_WANTED = 256 << 10;
    private static final int GROUP_HEADER_BYTES = Integer.BYTES + 2 * Long.BYTES;
    private static final int RECORD_HEADER_BYTES = 2 * Integer.BYTES + Long.BYTES;

    private ByteBuffer buffer = allocate(BYTES_WANTED + (BYTES_WANTED >> 2));
    private int groupAt = -1;

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void clear() {
        buffer.clear();
        groupAt = -1;
    }

    /** Whether it is time to pass it on. */
    boolean isFull() {
        return buffer.position() >= BYTES_WANTED;
    }

    /** Adds a record; the first of a group begins it. */
    void add(
            long startLsn,
            long endLsn,
            int type,
            long pageId,
            byte[] body,
            int bodyOffset,
            int bodyLength) {
        ensure(GROUP_HEADER_BYTES + RECORD_HEADER_BYTES + bodyLength);
        if (groupAt < 0) {
            groupAt = buffer.position();
            buffer.putInt(0).putLong(startLsn).putLong(endLsn);
        }
        buffer.putInt(type).putLong(pageId).putInt(bodyLength).put(body, bodyOffset, bodyLength);
    }

    /** Ends the group, if a record of it was added. */
    void endGroup() {
        if (groupAt >= 0) {
            buffer.putInt(groupAt, buffer.position() - groupAt - Integer.BYTES);
            groupAt = -1;
        }
    }

    private void ensure(int bytes) {
        if (buffer.remaining() < bytes) {
            int wanted = Math.max(buffer.position() + bytes, 2 * buffer.capacity());
            buffer = allocate(wanted).put(buffer.flip());
        }
    }

    /** Makes it readable from the start. */
    void flip() {
        assert groupAt < 0 : "group is open: at=" + groupAt;
        buffer.flip();
    }

    boolean hasGroup() {
        return buffer.hasRemaining();
    }

    /** The bytes that positions count in. */
    byte[] bytes() {
        assert buffer.arrayOffset() == 0 : "arrayOffset=" + buffer.arrayOffset();
        return buffer.array();
    }

    /** Steps to the next group and returns where it ends; start and end LSN are next. */
    int nextGroup() {
        int length = buffer.getInt();
        return buffer.position() + length;
    }

    long nextLong() {
        return buffer.getLong();
    }

    int nextInt() {
        return buffer.getInt();
    }

    int position() {
        return buffer.position();
    }

    void skip(int bytes) {
        buffer.position(buffer.position() + bytes);
    }
}
