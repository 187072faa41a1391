// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The system's own calls on a file, which may transfer less than asked for. The seam at which tests
 * make transfers short.
 */
interface RawFile {

    /** Reads at least one byte and returns how many, or -1 at the end of the file. */
    int read(long position, ByteBuffer target) throws IOException;

    /** Writes some of the bytes and returns how many. */
    int write(long position, ByteBuffer source) throws IOException;

    void force(boolean metadata) throws IOException;

    long length() throws IOException;

    void truncate(long length) throws IOException;

    void close() throws IOException;
}
