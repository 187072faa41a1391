// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.Varint;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/** Reads the body of a redo record; total on any bytes. */
final class BodyReader {
    private final byte[] bytes;
    private final int end;
    private int at;

    BodyReader(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.at = offset;
        this.end = offset + length;
    }

    int remaining() {
        return end - at;
    }

    byte readByte() {
        if (at >= end) {
            throw new CorruptionException(
                    "redo record is damaged", "redo", "more bytes", "the end of the body");
        }
        byte value = bytes[at];
        at++;
        return value;
    }

    int readInt() {
        int value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            value |= (readByte() & 0xFF) << shift;
        }
        return value;
    }

    int varint() {
        int length = Varint.lengthAt(bytes, at, end);
        if (length == Varint.NONE) {
            throw new CorruptionException(
                    "redo record is damaged", "redo", "a varint", "none within the body");
        }
        int value = Varint.get(bytes, at);
        at += length;
        return value;
    }

    void copyTo(ByteBuffer chunk, int offset, int count) {
        PageMemory.copyIn(chunk, offset, bytes, at, count);
        at += count;
    }
}
