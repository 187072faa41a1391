// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.Varint;
import dev.holdfast.io.memory.PageMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The body of a redo record under construction: bytes of fixed room, filled from the start. */
final class ChangeBody {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    final byte[] bytes;
    private int length;

    ChangeBody(int roomBytes) {
        bytes = new byte[roomBytes];
    }

    int length() {
        return length;
    }

    ChangeBody clear() {
        length = 0;
        return this;
    }

    void putByte(int value) {
        bytes[length++] = (byte) value;
    }

    void putShort(int value) {
        putByte(value);
        putByte(value >>> Byte.SIZE);
    }

    void putInt(int value) {
        INT.set(bytes, length, value);
        length += Integer.BYTES;
    }

    void putLong(long value) {
        LONG.set(bytes, length, value);
        length += Long.BYTES;
    }

    void putVarint(int value) {
        length = Varint.put(bytes, length, value);
    }

    void putBytes(byte[] source, int offset, int count) {
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    void putBytes(ByteBuffer chunk, int offset, int count) {
        PageMemory.copyOut(chunk, offset, bytes, length, count);
        length += count;
    }

    static int getUnsignedShort(byte[] source, int offset) {
        return (source[offset] & 0xFF) | (source[offset + 1] & 0xFF) << Byte.SIZE;
    }

    static int getInt(byte[] source, int offset) {
        return (int) INT.get(source, offset);
    }
}
