// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The one accessor of page memory: a direct chunk and an absolute offset.
 *
 * <p>Little-endian and plain unless the name says otherwise. Ordered and atomic accesses need an
 * offset aligned to the width; the others do not. An offset outside the chunk throws {@code
 * IndexOutOfBoundsException}, which an optimistic reader takes for a restart. A chunk's position,
 * limit and byte order do not matter, but for the limit as the end of what may be touched.
 *
 * <p>Nothing here allocates.
 */
public final class PageMemory {
    /*
     * Static methods over static final VarHandles: after inlining an access is one bounds check and
     * one move. There is no interface and must be no second accessor: with two implementations
     * loaded the call sites become polymorphic and all of them slow down.
     *
     * Comparison is by own loop, eight bytes a step. Slicing and asking the library is slower by
     * half and makes garbage when inlining fails; arrays' vectorised compare does not reach direct
     * memory. Words are loaded big-endian, so that their unsigned order is the order of the bytes.
     */

    private static final VarHandle SHORT =
            MethodHandles.byteBufferViewVarHandle(short[].class, LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final VarHandle BIG_INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, BIG_ENDIAN);
    private static final VarHandle BIG_LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, BIG_ENDIAN);
    private static final VarHandle ARRAY_BIG_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
    private static final VarHandle ARRAY_BIG_LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    /** The source of long runs of zeros, which are copied in blocks. */
    private static final byte[] ZEROS = new byte[4096];

    /** Below this length a loop of words beats the call that copies a block. */
    private static final int ZEROS_BY_BLOCK_MIN = 128;

    private static final long BYTE_TO_WORD = 0x0101010101010101L;

    private PageMemory() {}

    public static byte getByte(ByteBuffer chunk, int offset) {
        return chunk.get(offset);
    }

    /** The byte as 0 to 255. */
    public static int getUnsignedByte(ByteBuffer chunk, int offset) {
        return chunk.get(offset) & 0xFF;
    }

    /** Stores the low eight bits of the value. */
    public static void putByte(ByteBuffer chunk, int offset, int value) {
        chunk.put(offset, (byte) value);
    }

    public static short getShort(ByteBuffer chunk, int offset) {
        return (short) SHORT.get(chunk, offset);
    }

    /** The short as 0 to 65535. */
    public static int getUnsignedShort(ByteBuffer chunk, int offset) {
        return (short) SHORT.get(chunk, offset) & 0xFFFF;
    }

    /** Stores the low sixteen bits of the value. */
    public static void putShort(ByteBuffer chunk, int offset, int value) {
        SHORT.set(chunk, offset, (short) value);
    }

    public static int getInt(ByteBuffer chunk, int offset) {
        return (int) INT.get(chunk, offset);
    }

    public static void putInt(ByteBuffer chunk, int offset, int value) {
        INT.set(chunk, offset, value);
    }

    public static int getIntOpaque(ByteBuffer chunk, int offset) {
        return (int) INT.getOpaque(chunk, offset);
    }

    public static void putIntOpaque(ByteBuffer chunk, int offset, int value) {
        INT.setOpaque(chunk, offset, value);
    }

    public static int getIntAcquire(ByteBuffer chunk, int offset) {
        return (int) INT.getAcquire(chunk, offset);
    }

    public static void putIntRelease(ByteBuffer chunk, int offset, int value) {
        INT.setRelease(chunk, offset, value);
    }

    public static int getIntVolatile(ByteBuffer chunk, int offset) {
        return (int) INT.getVolatile(chunk, offset);
    }

    public static void putIntVolatile(ByteBuffer chunk, int offset, int value) {
        INT.setVolatile(chunk, offset, value);
    }

    /** Volatile; returns whether the value was the expected one and is now the new one. */
    public static boolean compareAndSetInt(
            ByteBuffer chunk, int offset, int expected, int newValue) {
        return INT.compareAndSet(chunk, offset, expected, newValue);
    }

    public static long getLong(ByteBuffer chunk, int offset) {
        return (long) LONG.get(chunk, offset);
    }

    public static void putLong(ByteBuffer chunk, int offset, long value) {
        LONG.set(chunk, offset, value);
    }

    public static long getLongOpaque(ByteBuffer chunk, int offset) {
        return (long) LONG.getOpaque(chunk, offset);
    }

    public static void putLongOpaque(ByteBuffer chunk, int offset, long value) {
        LONG.setOpaque(chunk, offset, value);
    }

    public static long getLongAcquire(ByteBuffer chunk, int offset) {
        return (long) LONG.getAcquire(chunk, offset);
    }

    public static void putLongRelease(ByteBuffer chunk, int offset, long value) {
        LONG.setRelease(chunk, offset, value);
    }

    public static long getLongVolatile(ByteBuffer chunk, int offset) {
        return (long) LONG.getVolatile(chunk, offset);
    }

    public static void putLongVolatile(ByteBuffer chunk, int offset, long value) {
        LONG.setVolatile(chunk, offset, value);
    }

    /** Volatile; returns whether the value was the expected one and is now the new one. */
    public static boolean compareAndSetLong(
            ByteBuffer chunk, int offset, long expected, long newValue) {
        return LONG.compareAndSet(chunk, offset, expected, newValue);
    }

    /** The four bytes as a big-endian int: the form of a key's head. */
    public static int bigEndianInt(ByteBuffer chunk, int offset) {
        return (int) BIG_INT.get(chunk, offset);
    }

    public static void putBigEndianInt(ByteBuffer chunk, int offset, int value) {
        BIG_INT.set(chunk, offset, value);
    }

    /** The eight bytes as a big-endian long. */
    public static long bigEndianLong(ByteBuffer chunk, int offset) {
        return (long) BIG_LONG.get(chunk, offset);
    }

    public static void putBigEndianLong(ByteBuffer chunk, int offset, long value) {
        BIG_LONG.set(chunk, offset, value);
    }

    /** Sets a range to one byte. */
    public static void fill(ByteBuffer chunk, int offset, int length, byte value) {
        int at = offset;
        int end = offset + length;
        if (value == 0 && length >= ZEROS_BY_BLOCK_MIN) {
            for (; end - at >= ZEROS.length; at += ZEROS.length) {
                chunk.put(at, ZEROS, 0, ZEROS.length);
            }
            chunk.put(at, ZEROS, 0, end - at);
            return;
        }
        long word = (value & 0xFF) * BYTE_TO_WORD;
        for (; end - at >= Long.BYTES; at += Long.BYTES) {
            LONG.set(chunk, at, word);
        }
        for (; at < end; at++) {
            chunk.put(at, value);
        }
    }

    /** Copies a range; source and target may be one chunk and may overlap. */
    public static void copy(
            ByteBuffer source, int sourceOffset, ByteBuffer target, int targetOffset, int length) {
        target.put(targetOffset, source, sourceOffset, length);
    }

    /** Copies bytes of an array into the chunk. */
    public static void copyIn(
            ByteBuffer chunk, int offset, byte[] source, int sourceOffset, int length) {
        chunk.put(offset, source, sourceOffset, length);
    }

    /** Copies bytes of the chunk into an array. */
    public static void copyOut(
            ByteBuffer chunk, int offset, byte[] target, int targetOffset, int length) {
        chunk.get(offset, target, targetOffset, length);
    }

    /**
     * Compares a range with a key, unsigned and lexicographic; a proper prefix is the lesser one.
     *
     * @return negative, zero or positive, as the range is less, equal or greater
     */
    public static int compare(
            ByteBuffer chunk, int offset, int length, byte[] key, int keyOffset, int keyLength) {
        int common = Math.min(length, keyLength);
        int i = 0;
        for (; common - i >= Long.BYTES; i += Long.BYTES) {
            long left = (long) BIG_LONG.get(chunk, offset + i);
            long right = (long) ARRAY_BIG_LONG.get(key, keyOffset + i);
            if (left != right) {
                return Long.compareUnsigned(left, right);
            }
        }
        if (common - i >= Integer.BYTES) {
            int left = (int) BIG_INT.get(chunk, offset + i);
            int right = (int) ARRAY_BIG_INT.get(key, keyOffset + i);
            if (left != right) {
                return Integer.compareUnsigned(left, right);
            }
            i += Integer.BYTES;
        }
        for (; i < common; i++) {
            int difference = (chunk.get(offset + i) & 0xFF) - (key[keyOffset + i] & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return length - keyLength;
    }

    /** Compares two ranges as {@link #compare(ByteBuffer, int, int, byte[], int, int)} does. */
    public static int compare(
            ByteBuffer chunk,
            int offset,
            int length,
            ByteBuffer other,
            int otherOffset,
            int otherLength) {
        int common = Math.min(length, otherLength);
        int i = 0;
        for (; common - i >= Long.BYTES; i += Long.BYTES) {
            long left = (long) BIG_LONG.get(chunk, offset + i);
            long right = (long) BIG_LONG.get(other, otherOffset + i);
            if (left != right) {
                return Long.compareUnsigned(left, right);
            }
        }
        for (; i < common; i++) {
            int difference = (chunk.get(offset + i) & 0xFF) - (other.get(otherOffset + i) & 0xFF);
            if (difference != 0) {
                return difference;
            }
        }
        return length - otherLength;
    }

    /** How many bytes a range and a key have in common from their starts. */
    public static int commonPrefix(
            ByteBuffer chunk, int offset, int length, byte[] key, int keyOffset, int keyLength) {
        int common = Math.min(length, keyLength);
        int i = 0;
        for (; common - i >= Long.BYTES; i += Long.BYTES) {
            long left = (long) BIG_LONG.get(chunk, offset + i);
            long difference = left ^ (long) ARRAY_BIG_LONG.get(key, keyOffset + i);
            if (difference != 0) {
                return i + Long.numberOfLeadingZeros(difference) / Byte.SIZE;
            }
        }
        while (i < common && chunk.get(offset + i) == key[keyOffset + i]) {
            i++;
        }
        return i;
    }

    /** How many bytes two ranges have in common from their starts. */
    public static int commonPrefix(
            ByteBuffer chunk,
            int offset,
            int length,
            ByteBuffer other,
            int otherOffset,
            int otherLength) {
        int common = Math.min(length, otherLength);
        int i = 0;
        for (; common - i >= Long.BYTES; i += Long.BYTES) {
            long left = (long) BIG_LONG.get(chunk, offset + i);
            long difference = left ^ (long) BIG_LONG.get(other, otherOffset + i);
            if (difference != 0) {
                return i + Long.numberOfLeadingZeros(difference) / Byte.SIZE;
            }
        }
        while (i < common && chunk.get(offset + i) == other.get(otherOffset + i)) {
            i++;
        }
        return i;
    }
}
