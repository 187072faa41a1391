// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * What a record holds instead of a value that lives in an overflow chain: 16 bytes {head page u32,
 * total length u32, reserved u64 zero}.
 */
public final class OverflowPointer {
    private static final int HEAD_PAGE = 0;
    private static final int TOTAL_LENGTH = HEAD_PAGE + Integer.BYTES;
    private static final int RESERVED = TOTAL_LENGTH + Integer.BYTES;

    public static final int BYTES = RESERVED + Long.BYTES;

    private OverflowPointer() {}

    /** Page number of the chain's head; the chain is in the tree's space. */
    public static int headPage(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + HEAD_PAGE);
    }

    /** Bytes of the value. */
    public static int totalLength(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + TOTAL_LENGTH);
    }

    public static int headPage(byte[] pointer, int offset) {
        return ChangeBody.getInt(pointer, offset + HEAD_PAGE);
    }

    public static int totalLength(byte[] pointer, int offset) {
        return ChangeBody.getInt(pointer, offset + TOTAL_LENGTH);
    }

    static long reserved(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + RESERVED);
    }

    /** Writes a pointer into an array of at least {@link #BYTES} from the offset. */
    public static void encode(byte[] target, int offset, int headPage, int totalLength) {
        for (int i = 0; i < Integer.BYTES; i++) {
            target[offset + HEAD_PAGE + i] = (byte) (headPage >>> (i * Byte.SIZE));
            target[offset + TOTAL_LENGTH + i] = (byte) (totalLength >>> (i * Byte.SIZE));
        }
        for (int i = RESERVED; i < BYTES; i++) {
            target[offset + i] = 0;
        }
    }
}
