// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Layout of the header of a doublewrite file and of its entries.
 *
 * <p>The byte tables are {@code docs/format/doublewrite.md}. The header says what the images behind
 * it are, in the clear, so that a copy can be put back without understanding its content.
 */
public final class DoublewriteLayout {
    static final long MAGIC = 0x48464442_4C575231L;
    static final int VERSION = 1;

    /** The images begin here; a multiple of the alignment of direct files. */
    static final int HEADER_BYTES = 8192;

    /** Pages in one batch at most. */
    public static final int PAGES_MAX = 128;

    public static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    public static final int PAGE_BYTES_OFFSET = VERSION_OFFSET + Integer.BYTES;
    public static final int STORE_ID_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;
    public static final int BATCH_NUMBER_OFFSET = STORE_ID_OFFSET + 2 * Long.BYTES;
    public static final int COUNT_OFFSET = BATCH_NUMBER_OFFSET + Long.BYTES;
    public static final int RESERVED_OFFSET = COUNT_OFFSET + Integer.BYTES;
    public static final int ENTRIES_OFFSET = RESERVED_OFFSET + 20;

    static final int HEADER_CRC_AT = HEADER_BYTES - Integer.BYTES;

    public static final int ENTRY_SPACE_ID_OFFSET = 0;
    public static final int ENTRY_PAGE_NUMBER_OFFSET = ENTRY_SPACE_ID_OFFSET + Integer.BYTES;
    public static final int ENTRY_PAGE_LSN_OFFSET = ENTRY_PAGE_NUMBER_OFFSET + Integer.BYTES;
    public static final int ENTRY_LOG_LSN_OFFSET = ENTRY_PAGE_LSN_OFFSET + Long.BYTES;
    public static final int ENTRY_IMAGE_CRC_OFFSET = ENTRY_LOG_LSN_OFFSET + Long.BYTES;
    public static final int ENTRY_KEY_ID_OFFSET = ENTRY_IMAGE_CRC_OFFSET + Integer.BYTES;
    public static final int ENTRY_RESERVED_OFFSET = ENTRY_KEY_ID_OFFSET + Integer.BYTES;
    static final int ENTRY_BYTES = ENTRY_RESERVED_OFFSET + 2 * Long.BYTES;

    static {
        assert ENTRIES_OFFSET + PAGES_MAX * ENTRY_BYTES <= HEADER_CRC_AT : "the entries fit";
    }

    private DoublewriteLayout() {}

    static void writeHeader(
            ByteBuffer chunk, int pageBytes, UUID storeId, long batchNumber, int count) {
        PageMemory.putLong(chunk, MAGIC_OFFSET, MAGIC);
        PageMemory.putInt(chunk, VERSION_OFFSET, VERSION);
        PageMemory.putInt(chunk, PAGE_BYTES_OFFSET, pageBytes);
        PageMemory.putLong(chunk, STORE_ID_OFFSET, storeId.getMostSignificantBits());
        PageMemory.putLong(chunk, STORE_ID_OFFSET + Long.BYTES, storeId.getLeastSignificantBits());
        PageMemory.putLong(chunk, BATCH_NUMBER_OFFSET, batchNumber);
        PageMemory.putInt(chunk, COUNT_OFFSET, count);
        PageMemory.fill(chunk, RESERVED_OFFSET, ENTRIES_OFFSET - RESERVED_OFFSET, (byte) 0);
        int used = entry(count);
        PageMemory.fill(chunk, used, HEADER_CRC_AT - used, (byte) 0);
        PageMemory.putInt(chunk, HEADER_CRC_AT, crc(chunk, 0, HEADER_CRC_AT));
    }

    static int entry(int index) {
        return ENTRIES_OFFSET + index * ENTRY_BYTES;
    }

    static int image(int index, int pageBytes) {
        return HEADER_BYTES + index * pageBytes;
    }

    /** The length of a file whose batches hold up to so many pages. */
    static long fileBytes(int pages, int pageBytes) {
        return HEADER_BYTES + (long) pages * pageBytes;
    }

    static int crc(ByteBuffer chunk, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(chunk.duplicate().position(offset).limit(offset + length));
        return (int) crc.getValue();
    }
}
