// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * An immutable run of at most {@value #BYTES} bytes of a file.
 *
 * <p>A full block is shared by the trace that recorded it, by the visible and the durable content
 * of the file, and by every crash image that contains it; nobody copies it. A shorter one is a
 * piece of a write that did not cover a whole block.
 */
final class Block {
    static final int BYTES = 4096;

    /** Stands for allocated zeros; a hole is {@code null}. Both hash to zero. */
    static final Block ZERO = new Block(new byte[BYTES]);

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long NOT_HASHED = -1;

    /** Never written after construction. */
    final byte[] bytes;

    /** Computed by whoever asks first; several may, and get the same. */
    private volatile long hash = NOT_HASHED;

    Block(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The block of those bytes, {@link #ZERO} if they are a full block of zeros. */
    static Block of(byte[] bytes) {
        return bytes.length == BYTES && isZero(bytes) ? ZERO : new Block(bytes);
    }

    boolean isFull() {
        return bytes.length == BYTES;
    }

    /** Of the content; zero for zeros only, so that it does not tell a hole from written zeros. */
    long hash() {
        long known = hash;
        if (known == NOT_HASHED) {
            known = hash(bytes);
            hash = known;
        }
        return known;
    }

    private static boolean isZero(byte[] bytes) {
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            if ((long) LONG.get(bytes, i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static long hash(byte[] bytes) {
        long result = 0;
        for (int i = 0; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
            long word = (long) LONG.get(bytes, i);
            result = Long.rotateLeft(result + word * 0xC2B2AE3D27D4EB4FL, 31) * 0x9E3779B185EBCA87L;
        }
        return result == NOT_HASHED ? 1 : result;
    }
}
