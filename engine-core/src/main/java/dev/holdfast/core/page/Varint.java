// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Unsigned integers of seven bits a byte, low bits first, always in the shortest form.
 *
 * <p>So the length follows from the value and no reader needs to return two numbers. Bytes that may
 * be anything are looked at by {@link #lengthAt} before they are read.
 */
public final class Varint {
    /** The most bytes that a value takes. */
    public static final int BYTES_MAX = 5;

    /** None, as {@link #lengthAt} has it. */
    public static final int NONE = 0;

    private static final int MORE = 0x80;
    private static final int SHIFT = 7;

    /** Of a fifth byte only four bits are left. */
    private static final int LAST_MAX = 0x0F;

    private Varint() {}

    /** The bytes that the value takes. */
    public static int length(int value) {
        return value >>> 7 == 0
                ? 1
                : value >>> 14 == 0 ? 2 : value >>> 21 == 0 ? 3 : value >>> 28 == 0 ? 4 : 5;
    }

    /** Writes the value and returns the offset behind it. */
    public static int put(byte[] target, int offset, int value) {
        int at = offset;
        int rest = value;
        while (rest >>> SHIFT != 0) {
            target[at++] = (byte) (rest | MORE);
            rest >>>= SHIFT;
        }
        target[at++] = (byte) rest;
        return at;
    }

    /**
     * The length of the value that begins there, or {@link #NONE} if there is no whole one before
     * the end, it is not in the shortest form or of more than 32 bits.
     */
    public static int lengthAt(byte[] source, int offset, int end) {
        int lengthMax = Math.min(BYTES_MAX, end - offset);
        for (int length = 1; length <= lengthMax; length++) {
            if (source[offset + length - 1] >= 0) {
                boolean fits = length < BYTES_MAX || source[offset + length - 1] <= LAST_MAX;
                return fits && length(get(source, offset)) == length ? length : NONE;
            }
        }
        return NONE;
    }

    /** Reads the value that begins there. */
    public static int get(byte[] source, int offset) {
        int value = source[offset];
        if (value >= 0) {
            return value;
        }
        value &= ~MORE & 0xFF;
        int at = offset + 1;
        for (int shift = SHIFT; shift < Integer.SIZE; shift += SHIFT) {
            int next = source[at++];
            value |= (next & 0x7F) << shift;
            if (next >= 0) {
                break;
            }
        }
        return value;
    }

    /**
     * Reads at most two bytes, which is what a length inside a page takes; torn bytes do no harm.
     */
    public static int getShort(ByteBuffer chunk, int offset) {
        int first = PageMemory.getByte(chunk, offset);
        if (first >= 0) {
            return first;
        }
        return (first & 0x7F) | (PageMemory.getByte(chunk, offset + 1) & 0x7F) << SHIFT;
    }
}
