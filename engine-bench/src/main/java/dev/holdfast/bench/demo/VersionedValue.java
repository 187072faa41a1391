// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The values that the mixed load writes: the source's bytes, followed by a version and a checksum
 * of both. Version zero is the source's bytes alone, as imported.
 */
final class VersionedValue {
    static final int TRAILER_BYTES = 2 * Integer.BYTES;

    private VersionedValue() {}

    static byte[] of(byte[] source, int version) {
        if (version == 0) {
            return source;
        }
        byte[] value = Arrays.copyOf(source, source.length + TRAILER_BYTES);
        ByteBuffer bytes = ByteBuffer.wrap(value).putInt(source.length, version);
        bytes.putInt(source.length + Integer.BYTES, checksum(value, source.length + Integer.BYTES));
        return value;
    }

    /** Returns the source's bytes without the trailer. */
    static byte[] source(byte[] value, int sourceLength) {
        return value.length == sourceLength ? value : Arrays.copyOf(value, sourceLength);
    }

    /** Says whether a value is some version of a source of which length and checksum are known. */
    static boolean isSound(byte[] value, int sourceLength, int sourceChecksum) {
        if (value.length == sourceLength) {
            return checksum(value, sourceLength) == sourceChecksum;
        }
        return value.length == sourceLength + TRAILER_BYTES
                && checksum(value, sourceLength) == sourceChecksum
                && ByteBuffer.wrap(value).getInt(sourceLength + Integer.BYTES)
                        == checksum(value, sourceLength + Integer.BYTES);
    }

    static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
