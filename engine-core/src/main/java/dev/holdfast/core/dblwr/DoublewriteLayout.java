// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.Limits;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Layout of the header of a doublewrite file and of its entries.
 *
 * <p>The byte tables are {@code docs/format/doublewrite.md}. The header says what the images behind
 * it are, in the clear, so that a copy can be put back without understanding its content. It is as
 * long as its entries need, so that a file can be read whatever the batches of this open hold. A
 * header is given as its chunk and the offset where it starts.
 */
public final class DoublewriteLayout {
    static final long MAGIC = 0x48464442_4C575231L;
    static final int VERSION = 2;

    /** Images of the pages follow the header. */
    static final int CONTENT_IMAGES = 1;

    /** There are entries alone. */
    static final int CONTENT_ENTRIES = 2;

    /** Pages in one batch at most. */
    public static final int PAGES_MAX = Limits.DOUBLEWRITE_BATCH_PAGES_MAX;

    /** A header's length is a multiple of it, that of direct files. */
    static final int ALIGNMENT = 4096;

    public static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    public static final int PAGE_BYTES_OFFSET = VERSION_OFFSET + Integer.BYTES;
    public static final int STORE_ID_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;
    public static final int BATCH_NUMBER_OFFSET = STORE_ID_OFFSET + 2 * Long.BYTES;
    public static final int COUNT_OFFSET = BATCH_NUMBER_OFFSET + Long.BYTES;
    public static final int CONTENT_OFFSET = COUNT_OFFSET + Integer.BYTES;
    public static final int RESERVED_OFFSET = CONTENT_OFFSET + Integer.BYTES;
    public static final int ENTRIES_OFFSET = RESERVED_OFFSET + 2 * Long.BYTES;

    public static final int ENTRY_SPACE_ID_OFFSET = 0;
    public static final int ENTRY_PAGE_NUMBER_OFFSET = ENTRY_SPACE_ID_OFFSET + Integer.BYTES;
    public static final int ENTRY_PAGE_LSN_OFFSET = ENTRY_PAGE_NUMBER_OFFSET + Integer.BYTES;
    public static final int ENTRY_LOG_LSN_OFFSET = ENTRY_PAGE_LSN_OFFSET + Long.BYTES;
    public static final int ENTRY_CRC_OFFSET = ENTRY_LOG_LSN_OFFSET + Long.BYTES;
    public static final int ENTRY_KEY_ID_OFFSET = ENTRY_CRC_OFFSET + Integer.BYTES;
    public static final int ENTRY_RECOVERY_LSN_OFFSET = ENTRY_KEY_ID_OFFSET + Integer.BYTES;
    public static final int ENTRY_RESERVED_OFFSET = ENTRY_RECOVERY_LSN_OFFSET + Long.BYTES;
    static final int ENTRY_BYTES = ENTRY_RESERVED_OFFSET + Long.BYTES;

    /** The longest header. */
    static final int HEADER_BYTES_MAX = headerBytes(PAGES_MAX);

    /**
     * What an entry alone vouches for begins here: checksum and kind come before it, which a page
     * may change without a change of its own.
     */
    private static final int CONTENT_FROM = Long.BYTES;

    static {
        assert ENTRIES_OFFSET % Long.BYTES == 0 && ENTRY_BYTES % Long.BYTES == 0 : "aligned";
    }

    private DoublewriteLayout() {}

    static void writeHeader(
            ByteBuffer chunk,
            int header,
            int pageBytes,
            UUID storeId,
            long batchNumber,
            int content,
            int count) {
        PageMemory.putLong(chunk, header + MAGIC_OFFSET, MAGIC);
        PageMemory.putInt(chunk, header + VERSION_OFFSET, VERSION);
        PageMemory.putInt(chunk, header + PAGE_BYTES_OFFSET, pageBytes);
        PageMemory.putLong(chunk, header + STORE_ID_OFFSET, storeId.getMostSignificantBits());
        PageMemory.putLong(
                chunk, header + STORE_ID_OFFSET + Long.BYTES, storeId.getLeastSignificantBits());
        PageMemory.putLong(chunk, header + BATCH_NUMBER_OFFSET, batchNumber);
        PageMemory.putInt(chunk, header + COUNT_OFFSET, count);
        PageMemory.putInt(chunk, header + CONTENT_OFFSET, content);
        PageMemory.fill(
                chunk, header + RESERVED_OFFSET, ENTRIES_OFFSET - RESERVED_OFFSET, (byte) 0);
        int used = entry(header, count);
        int crcAt = header + headerBytes(count) - Integer.BYTES;
        PageMemory.fill(chunk, used, crcAt - used, (byte) 0);
        PageMemory.putInt(chunk, crcAt, crc(chunk, header, crcAt - header));
    }

    static int entry(int header, int index) {
        return header + ENTRIES_OFFSET + index * ENTRY_BYTES;
    }

    /** The length of a header with so many entries. */
    static int headerBytes(int count) {
        int used = ENTRIES_OFFSET + count * ENTRY_BYTES + Integer.BYTES;
        return (used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Where in the file an image of a batch of so many pages begins. */
    static long image(int count, int index, int pageBytes) {
        return headerBytes(count) + (long) index * pageBytes;
    }

    /** The length of a file whose batches hold up to so many pages. */
    static long fileBytes(int pages, int pageBytes) {
        return image(pages, pages, pageBytes);
    }

    static int crc(ByteBuffer chunk, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(chunk.duplicate().limit(offset + length).position(offset));
        return (int) crc.getValue();
    }

    /** What an entry without an image says of a page that starts there. */
    static int contentCrc(ByteBuffer chunk, int page, int pageBytes) {
        return crc(chunk, page + CONTENT_FROM, pageBytes - CONTENT_FROM);
    }
}
