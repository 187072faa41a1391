// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.checksum;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * The fold of the lineage: 32-bit arithmetic, one value a step, each step needing the one before.
 *
 * <p>It is a hash and not a cyclic code: it misses some errors that a CRC of this width must find.
 * It is here for its history, and to be measured against. A fold starts from zero; folds of ranges
 * that do not touch are added.
 */
public final class Fold {

    private static final int MASK_1 = 1463735687;
    private static final int MASK_2 = 1653893711;

    private Fold() {}

    /** One step: the fold so far, and the next byte (0 to 255) or word. */
    public static int next(int fold, int value) {
        return ((((fold ^ value ^ MASK_2) << 8) + fold) ^ MASK_1) + value;
    }

    /** The fold of a range, taken as unsigned bytes. */
    public static int ofBytes(ByteBuffer chunk, int offset, int length) {
        int fold = 0;
        int end = offset + length;
        for (int at = offset; at < end; at++) {
            fold = next(fold, PageMemory.getUnsignedByte(chunk, at));
        }
        return fold;
    }

    /** The fold of a range, taken as little-endian words; the length is a multiple of four. */
    public static int ofWords(ByteBuffer chunk, int offset, int length) {
        if ((length & (Integer.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("range is not of whole words: length=" + length);
        }
        int fold = 0;
        int end = offset + length;
        for (int at = offset; at < end; at += Integer.BYTES) {
            fold = next(fold, PageMemory.getInt(chunk, at));
        }
        return fold;
    }
}
