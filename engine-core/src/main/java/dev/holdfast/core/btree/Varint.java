// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Unsigned integers of seven bits a byte, low bits first, always in the shortest form.
 *
 * <p>So the length follows from the value and no reader needs to return two numbers.
 */
final class Varint {
    private static final int MORE = 0x80;
    private static final int SHIFT = 7;

    private Varint() {}

    static int length(int value) {
        return value >>> 7 == 0
                ? 1
                : value >>> 14 == 0 ? 2 : value >>> 21 == 0 ? 3 : value >>> 28 == 0 ? 4 : 5;
    }

    /** Writes the value and returns the offset behind it. */
    static int put(byte[] target, int offset, int value) {
        int at = offset;
        int rest = value;
        while (rest >>> SHIFT != 0) {
            target[at++] = (byte) (rest | MORE);
            rest >>>= SHIFT;
        }
        target[at++] = (byte) rest;
        return at;
    }

    static int get(byte[] source, int offset) {
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
    static int getShort(ByteBuffer chunk, int offset) {
        int first = PageMemory.getByte(chunk, offset);
        if (first >= 0) {
            return first;
        }
        return (first & 0x7F) | (PageMemory.getByte(chunk, offset + 1) & 0x7F) << SHIFT;
    }
}
