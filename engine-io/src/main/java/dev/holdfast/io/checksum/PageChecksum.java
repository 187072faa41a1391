// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.checksum;

import java.nio.ByteBuffer;

/** One kind of checksum. Stateless, safe for all threads. */
public interface PageChecksum {

    /** The code that is stored in a page that bears this checksum. */
    byte code();

    /** The kind's name, for options and messages. */
    String name();

    /**
     * Computes the checksum of a range.
     *
     * @param chunk a direct buffer; position and limit do not matter and are not touched
     * @param offset where the range begins
     * @param length its length in bytes, a multiple of four
     */
    int compute(ByteBuffer chunk, int offset, int length);
}
