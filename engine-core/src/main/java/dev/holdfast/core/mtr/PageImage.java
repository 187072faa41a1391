// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/** The body of a PAGE_IMAGE record: the page without its longest run of zeros. */
final class PageImage {
    /*
     * {tree id u32, type u8, hole start varint, hole length varint, bytes}. Counted from the body of
     * the page; the trailer is not in it. A page that a split has just filled by half is half zeros.
     */
    private PageImage() {}

    static int bodyBytes(int pageBytes) {
        return pageBytes - PageHeader.BODY_OFFSET + PageHeader.TRAILER_LSN_OFFSET;
    }

    static void write(RedoWriter redo, ByteBuffer chunk, int offset, int pageBytes) {
        int body = offset + PageHeader.BODY_OFFSET;
        int bytes = bodyBytes(pageBytes);
        long hole = longestZeros(chunk, body, bytes);
        int start = (int) (hole >>> Integer.SIZE);
        int length = (int) hole;
        redo.putInt(PageMemory.getInt(chunk, offset + PageHeader.TREE_ID_OFFSET));
        redo.putByte(PageMemory.getByte(chunk, offset + PageHeader.TYPE_OFFSET));
        redo.putVarint(start);
        redo.putVarint(length);
        redo.putBytes(chunk, body, start);
        redo.putBytes(chunk, body + start + length, bytes - start - length);
    }

    /** Start and length of the longest run of zero words, packed into one long. */
    private static long longestZeros(ByteBuffer chunk, int body, int bytes) {
        int bestStart = 0;
        int bestLength = 0;
        int start = 0;
        for (int i = 0; i < bytes; i += Long.BYTES) {
            if (PageMemory.getLong(chunk, body + i) != 0) {
                start = i + Long.BYTES;
            } else if (i + Long.BYTES - start > bestLength) {
                bestStart = start;
                bestLength = i + Long.BYTES - start;
            }
        }
        return (long) bestStart << Integer.SIZE | bestLength;
    }
}
