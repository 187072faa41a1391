// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;

/**
 * The contents of a row, given by who wrote it: so that the model of a store is small, and a value
 * that nobody wrote can't be taken for one that somebody did.
 *
 * @param tag of the writer; decides the bytes
 * @param version what the first four bytes hold, big-endian, unless negative
 * @param length of the value in bytes
 */
record Value(long tag, int version, int length) {
    static final int NO_VERSION = -1;

    static Value of(long tag, int length) {
        return new Value(tag, NO_VERSION, length);
    }

    byte[] bytes() {
        byte[] bytes = new SeededRandom(tag).bytes(length);
        if (version >= 0) {
            ByteBuffer.wrap(bytes).putInt(0, version);
        }
        return bytes;
    }

    /** The version in a value that has one. */
    static int versionOf(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getInt(0);
    }
}
