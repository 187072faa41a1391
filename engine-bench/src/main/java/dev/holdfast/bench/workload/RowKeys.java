// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.nio.ByteBuffer;

/** Keys of rows by number: 16 bytes that sort as the numbers do. */
public final class RowKeys {
    public static final int KEY_BYTES = 16;

    private RowKeys() {}

    /** Writes the key of a row into an array of {@link #KEY_BYTES}. */
    public static void fill(byte[] key, long row) {
        ByteBuffer.wrap(key).putLong(0, row).putLong(Long.BYTES, mixed(row));
    }

    /** Returns the number whose key this is. */
    public static long row(byte[] key) {
        return ByteBuffer.wrap(key).getLong(0);
    }

    /** Spreads the bits of a number, one to one (the finalizer of SplitMix64). */
    static long mixed(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
