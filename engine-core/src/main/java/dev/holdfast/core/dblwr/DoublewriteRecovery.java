// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.core.page.PageId;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Reads the copies that the doublewrite files hold after a crash.
 *
 * <p>Whatever is in the files, garbage included, is an ordinary state: a batch whose write a crash
 * tore has not reached the data files, so nothing is lost with it. Files of other slots than this
 * store uses now are read too.
 */
public final class DoublewriteRecovery {
    private DoublewriteRecovery() {}

    /**
     * Syncs the files (what they show may only be in the page cache, P11a) and returns all copies
     * whose header and image are sound.
     *
     * @throws IOException if a file cannot be read or synced
     */
    public static List<Copy> read(StorageDirectory directory, UUID storeId, int pageBytes)
            throws IOException {
        List<Copy> copies = new ArrayList<>();
        for (String name : directory.list(Doublewrite.DIRECTORY)) {
            if (!name.endsWith(".hfd")) {
                continue;
            }
            try (StorageFile file = directory.open(name)) {
                file.sync(true);
                readFile(file, storeId, pageBytes, copies);
            }
        }
        return copies;
    }

    private static void readFile(StorageFile file, UUID storeId, int pageBytes, List<Copy> copies)
            throws IOException {
        long length = file.length();
        if (length < DoublewriteLayout.HEADER_BYTES) {
            return;
        }
        ByteBuffer header = aligned(DoublewriteLayout.HEADER_BYTES);
        file.read(0, header.duplicate());
        int count = soundCount(header, storeId, pageBytes);
        for (int i = 0; i < count; i++) {
            long at = DoublewriteLayout.image(i, pageBytes);
            if (at + pageBytes > length) {
                return;
            }
            ByteBuffer image = aligned(pageBytes);
            file.read(at, image.duplicate());
            int entry = DoublewriteLayout.entry(i);
            int crc = PageMemory.getInt(header, entry + DoublewriteLayout.ENTRY_IMAGE_CRC_OFFSET);
            if (crc == DoublewriteLayout.crc(image, 0, pageBytes)) {
                copies.add(copy(header, entry, image));
            }
        }
    }

    /** The number of entries, zero if the header is not a sound one of this store. */
    private static int soundCount(ByteBuffer header, UUID storeId, int pageBytes) {
        int count = PageMemory.getInt(header, DoublewriteLayout.COUNT_OFFSET);
        int stored = PageMemory.getInt(header, DoublewriteLayout.HEADER_CRC_AT);
        long high = PageMemory.getLong(header, DoublewriteLayout.STORE_ID_OFFSET);
        long low = PageMemory.getLong(header, DoublewriteLayout.STORE_ID_OFFSET + Long.BYTES);
        boolean sound =
                PageMemory.getLong(header, DoublewriteLayout.MAGIC_OFFSET)
                                == DoublewriteLayout.MAGIC
                        && stored
                                == DoublewriteLayout.crc(header, 0, DoublewriteLayout.HEADER_CRC_AT)
                        && PageMemory.getInt(header, DoublewriteLayout.VERSION_OFFSET)
                                == DoublewriteLayout.VERSION
                        && PageMemory.getInt(header, DoublewriteLayout.PAGE_BYTES_OFFSET)
                                == pageBytes
                        && high == storeId.getMostSignificantBits()
                        && low == storeId.getLeastSignificantBits()
                        && count >= 0
                        && count <= DoublewriteLayout.PAGES_MAX;
        return sound ? count : 0;
    }

    private static Copy copy(ByteBuffer header, int entry, ByteBuffer image) {
        long pageId =
                PageId.of(
                        PageMemory.getInt(header, entry + DoublewriteLayout.ENTRY_SPACE_ID_OFFSET),
                        PageMemory.getInt(
                                header, entry + DoublewriteLayout.ENTRY_PAGE_NUMBER_OFFSET));
        return new Copy(
                pageId,
                PageMemory.getLong(header, entry + DoublewriteLayout.ENTRY_PAGE_LSN_OFFSET),
                PageMemory.getLong(header, entry + DoublewriteLayout.ENTRY_LOG_LSN_OFFSET),
                image);
    }

    private static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(bytes + Doublewrite.ALIGNMENT)
                .alignedSlice(Doublewrite.ALIGNMENT)
                .limit(bytes);
    }

    /**
     * A sound copy of a page.
     *
     * @param pageLsn the page's LSN when it was copied
     * @param logLsn every change of the page that the copy lacks begins at or above it; the copy is
     *     valid only if this is not below the checkpoint
     * @param image the page as it was to be written, at offset 0
     */
    public record Copy(long pageId, long pageLsn, long logLsn, ByteBuffer image) {}
}
