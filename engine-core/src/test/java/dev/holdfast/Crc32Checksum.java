// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** A checksum as a host may bring it: the other CRC of the JDK. */
public record Crc32Checksum(int code, String name) implements CustomChecksum {
    /** One with a code and a name of its own. */
    public static Crc32Checksum standard() {
        return new Crc32Checksum(17, "CRC32");
    }

    @Override
    public int compute(ByteBuffer bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
