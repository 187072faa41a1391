// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of an overflow page; the byte table is {@code docs/format/overflow-page.md}.
 *
 * <p><b>Latches:</b> none taken. Getters need the page latched, setters need it latched
 * exclusively.
 */
final class OverflowLayout {
    static final int NEXT_OFFSET = PageHeader.BODY_OFFSET;
    static final int SEQUENCE_OFFSET = NEXT_OFFSET + Integer.BYTES;
    static final int DATA_LENGTH_OFFSET = SEQUENCE_OFFSET + Integer.BYTES;
    static final int OVERFLOW_RESERVED_OFFSET = DATA_LENGTH_OFFSET + Integer.BYTES;
    static final int DATA_OFFSET = OVERFLOW_RESERVED_OFFSET + Integer.BYTES;

    static final int NO_NEXT = PageId.NULL_PAGE_NUMBER;

    private OverflowLayout() {}

    /** Bytes of a value that one page takes. */
    static int capacity(int pageBytes) {
        return pageBytes - DATA_OFFSET + PageHeader.TRAILER_LSN_OFFSET;
    }

    /** Pages of a chain for a value of that length. */
    static int pageCount(int pageBytes, int valueLength) {
        int capacity = capacity(pageBytes);
        return Math.max(1, valueLength / capacity + (valueLength % capacity == 0 ? 0 : 1));
    }

    static int next(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + NEXT_OFFSET);
    }

    static int sequence(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + SEQUENCE_OFFSET);
    }

    static int dataLength(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + DATA_LENGTH_OFFSET);
    }

    static int reserved(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + OVERFLOW_RESERVED_OFFSET);
    }

    /** Fills a new page but for its header. */
    static void fill(
            ByteBuffer chunk,
            int page,
            int next,
            int sequence,
            byte[] value,
            int from,
            int length) {
        PageMemory.putInt(chunk, page + NEXT_OFFSET, next);
        PageMemory.putInt(chunk, page + SEQUENCE_OFFSET, sequence);
        PageMemory.putInt(chunk, page + DATA_LENGTH_OFFSET, length);
        PageMemory.putInt(chunk, page + OVERFLOW_RESERVED_OFFSET, 0);
        PageMemory.copyIn(chunk, page + DATA_OFFSET, value, from, length);
    }
}
