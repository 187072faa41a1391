// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.EOFException;
import java.nio.ByteBuffer;

/** The checks of a transfer's arguments that every {@link StorageFile} makes, and their words. */
public final class TransferCheck {

    private TransferCheck() {}

    /** Refuses a heap buffer, a negative position, and in DIRECT what is not aligned. */
    public static void check(String name, FileMode mode, long position, ByteBuffer buffer) {
        if (position < 0 || !buffer.isDirect()) {
            throw new IllegalArgumentException(
                    "transfer needs a direct buffer and a position: file="
                            + name
                            + ", position="
                            + position
                            + ", isDirect="
                            + buffer.isDirect());
        }
        if (mode == FileMode.DIRECT) {
            int alignment = FileMode.DIRECT_ALIGNMENT;
            int addressRest = buffer.alignmentOffset(buffer.position(), alignment);
            if (position % alignment != 0
                    || buffer.remaining() % alignment != 0
                    || addressRest != 0) {
                throw new IllegalArgumentException(
                        "direct transfer is not aligned: file="
                                + name
                                + ", position="
                                + position
                                + ", bytes="
                                + buffer.remaining()
                                + ", addressRest="
                                + addressRest
                                + ", alignment="
                                + alignment);
            }
        }
    }

    /** Refuses a range that is negative, turned round or in DIRECT not aligned. */
    public static void checkRange(String name, FileMode mode, long from, long to) {
        if (from < 0 || to < from) {
            throw new IllegalArgumentException(
                    "bad range: file=" + name + ", from=" + from + ", to=" + to);
        }
        if (mode == FileMode.DIRECT && (from | to) % FileMode.DIRECT_ALIGNMENT != 0) {
            throw new IllegalArgumentException(
                    "direct range is not aligned: file="
                            + name
                            + ", from="
                            + from
                            + ", to="
                            + to
                            + ", alignment="
                            + FileMode.DIRECT_ALIGNMENT);
        }
    }

    /** What a read beyond the end throws. */
    public static EOFException endOfFile(String name, long position, long bytes, long length) {
        return new EOFException(
                "read beyond the end: file="
                        + name
                        + ", position="
                        + position
                        + ", bytes="
                        + bytes
                        + ", length="
                        + length);
    }
}
