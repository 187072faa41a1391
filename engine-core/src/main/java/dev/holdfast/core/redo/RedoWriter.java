// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.Varint;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.io.memory.PageMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A group of redo records under construction; reusable, for one thread at a time.
 *
 * <p>{@link #ensure} makes room before the first change of a page. After it nothing allocates: what
 * does not fit breaks an invariant.
 */
public final class RedoWriter {
    /*
     * The length of a body is known at its end and is a varint before it. One byte is kept free for
     * it; a body of 128 bytes or more is moved up by the one or two bytes that are missing.
     */
    private static final int LENGTH_BYTES_MAX = 3;
    private static final int NO_RECORD = -1;

    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** More than type, flags, space, page and length of a record take. */
    public static final int RECORD_OVERHEAD_MAX = 2 + 2 * Varint.BYTES_MAX + LENGTH_BYTES_MAX;

    private byte[] bytes;
    private int length = GroupHeader.BYTES;
    private int bodyStart = NO_RECORD;

    /** A writer with room for a group of that many bytes, header included. */
    public RedoWriter(int initialBytes) {
        bytes = new byte[Lsn.aligned(Math.max(initialBytes, GroupHeader.BYTES))];
    }

    /** Grows the room to at least that many bytes from the group's start. Not in a record. */
    public void ensure(int groupBytes) {
        assert bodyStart == NO_RECORD : "record open: bodyStart=" + bodyStart;

        if (bytes.length < groupBytes) {
            byte[] grown = new byte[Lsn.aligned(Math.max(groupBytes, bytes.length * 2))];
            System.arraycopy(bytes, 0, grown, 0, length);
            bytes = grown;
        }
    }

    /** Begins a record on a page. */
    public void begin(int type, long pageId) {
        assert bodyStart == NO_RECORD : "record open: bodyStart=" + bodyStart;
        assert type > 0 && type <= RedoType.LAST : "type=" + type;

        require(RECORD_OVERHEAD_MAX);
        bytes[length] = (byte) type;
        bytes[length + 1] = 0;
        length += 2;
        length = Varint.put(bytes, length, PageId.spaceId(pageId));
        length = Varint.put(bytes, length, PageId.pageNumber(pageId));
        bodyStart = length + 1;
        length = bodyStart;
    }

    /** Begins a record that concerns no page. */
    public void begin(int type) {
        begin(type, PageId.of(0, 0));
    }

    public void putByte(int value) {
        require(Byte.BYTES);
        bytes[length] = (byte) value;
        length += Byte.BYTES;
    }

    public void putShort(int value) {
        require(Short.BYTES);
        SHORT.set(bytes, length, (short) value);
        length += Short.BYTES;
    }

    public void putInt(int value) {
        require(Integer.BYTES);
        INT.set(bytes, length, value);
        length += Integer.BYTES;
    }

    public void putLong(long value) {
        require(Long.BYTES);
        LONG.set(bytes, length, value);
        length += Long.BYTES;
    }

    /** Seven bits a byte, the low ones first; the value is taken as unsigned. */
    public void putVarint(int value) {
        require(Varint.BYTES_MAX);
        length = Varint.put(bytes, length, value);
    }

    public void putBytes(byte[] source, int offset, int count) {
        require(count);
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    public void putBytes(ByteBuffer chunk, int offset, int count) {
        require(count);
        PageMemory.copyOut(chunk, offset, bytes, length, count);
        length += count;
    }

    /** Ends the record that was begun. */
    public void end() {
        assert bodyStart != NO_RECORD : "no record open";

        int bodyLength = length - bodyStart;
        int extra = Varint.length(bodyLength) - 1;
        if (extra > 0) {
            require(extra);
            System.arraycopy(bytes, bodyStart, bytes, bodyStart + extra, bodyLength);
        }
        length = Varint.put(bytes, bodyStart - 1, bodyLength) + bodyLength;
        bodyStart = NO_RECORD;
    }

    /** The bytes of the group so far, header included. */
    public int length() {
        return length;
    }

    /** Forgets the group; the room stays. */
    public void reset() {
        length = GroupHeader.BYTES;
        bodyStart = NO_RECORD;
    }

    /** The group's bytes for the copy into the ring; header and the rest up to 16 are set. */
    byte[] finished(long startLsn) {
        assert bodyStart == NO_RECORD : "record open: bodyStart=" + bodyStart;

        GroupHeader.write(bytes, length, startLsn);
        for (int i = length; i < Lsn.aligned(length); i++) {
            bytes[i] = 0;
        }
        return bytes;
    }

    private void require(int count) {
        Invariants.check(
                bytes.length - length >= count, "redo group fits its room", length, bytes.length);
    }
}
