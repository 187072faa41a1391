// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.core.page.PageId;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the doublewrite files hold after a crash.
 *
 * <p>Whatever is in the files, garbage included, is an ordinary state: a batch whose write a crash
 * tore has not reached the data files, so nothing is lost with it. Files of all slots are read, and
 * batches of any number of pages, however many this open uses. For one thread.
 */
public final class DoublewriteRecovery implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DoublewriteRecovery.class);
    private static final int READ_TRIES_MAX = 4;

    private final UUID storeId;
    private final int pageBytes;
    private final ByteBuffer header = aligned(DoublewriteLayout.HEADER_BYTES_MAX);
    private final Map<String, StorageFile> files = new TreeMap<>();
    private final List<DoublewriteEntry> entries = new ArrayList<>();

    private DoublewriteRecovery(UUID storeId, int pageBytes) {
        this.storeId = storeId;
        this.pageBytes = pageBytes;
    }

    /**
     * Syncs the files (what they show may only be in the page cache, P11a) and reads the entries of
     * all whose header is sound.
     *
     * @throws IOException if a file cannot be read or synced
     */
    public static DoublewriteRecovery open(StorageDirectory directory, UUID storeId, int pageBytes)
            throws IOException {
        DoublewriteRecovery recovery = new DoublewriteRecovery(storeId, pageBytes);
        try {
            for (String name : names(directory)) {
                StorageFile file = directory.open(name);
                recovery.files.put(name, file);
                file.sync(true);
                recovery.readHeader(file);
            }
        } catch (IOException | RuntimeException | Error e) {
            try {
                recovery.close();
            } catch (IOException closeFailure) {
                e.addSuppressed(closeFailure);
            }
            throw e;
        }
        return recovery;
    }

    /** The doublewrite files that there are; none if there is no directory for them. */
    static List<String> names(StorageDirectory directory) throws IOException {
        List<String> names = new ArrayList<>();
        try {
            for (String name : directory.list(Doublewrite.DIRECTORY)) {
                if (name.endsWith(Doublewrite.SUFFIX)) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException noDirectory) {
            // Somebody removed it with all copies in it; Doublewrite.open makes it again.
        }
        return names;
    }

    private void readHeader(StorageFile file) throws IOException {
        long whole = file.length() / DoublewriteLayout.ALIGNMENT * DoublewriteLayout.ALIGNMENT;
        int length = (int) Math.min(whole, DoublewriteLayout.HEADER_BYTES_MAX);
        if (length == 0) {
            return;
        }
        read(file, 0, header.clear().limit(length));
        if (PageMemory.getLong(header, DoublewriteLayout.MAGIC_OFFSET) == 0) {
            return; // nothing was ever written to it
        }
        String fault = fault(length);
        if (!fault.isEmpty()) {
            LOG.info("doublewrite file holds no batch: file={}, offset=0, {}", file.name(), fault);
            return;
        }
        int count = PageMemory.getInt(header, DoublewriteLayout.COUNT_OFFSET);
        boolean images =
                PageMemory.getInt(header, DoublewriteLayout.CONTENT_OFFSET)
                        == DoublewriteLayout.CONTENT_IMAGES;
        for (int i = 0; i < count; i++) {
            long imageAt =
                    images
                            ? DoublewriteLayout.image(count, i, pageBytes)
                            : DoublewriteEntry.NO_IMAGE;
            entries.add(entry(file.name(), DoublewriteLayout.entry(0, i), imageAt));
        }
    }

    /** What is wrong with the header, empty if nothing is. */
    private String fault(int length) {
        if (PageMemory.getLong(header, DoublewriteLayout.MAGIC_OFFSET) != DoublewriteLayout.MAGIC) {
            return "found=no magic";
        }
        int version = PageMemory.getInt(header, DoublewriteLayout.VERSION_OFFSET);
        if (version != DoublewriteLayout.VERSION) {
            return "expected=version " + DoublewriteLayout.VERSION + ", found=" + version;
        }
        int count = PageMemory.getInt(header, DoublewriteLayout.COUNT_OFFSET);
        if (count < 0
                || count > DoublewriteLayout.PAGES_MAX
                || DoublewriteLayout.headerBytes(count) > length) {
            return "found=count " + count;
        }
        int crcAt = DoublewriteLayout.headerBytes(count) - Integer.BYTES;
        if (PageMemory.getInt(header, crcAt) != DoublewriteLayout.crc(header, 0, crcAt)) {
            return "found=another checksum";
        }
        int content = PageMemory.getInt(header, DoublewriteLayout.CONTENT_OFFSET);
        if (content != DoublewriteLayout.CONTENT_IMAGES
                && content != DoublewriteLayout.CONTENT_ENTRIES) {
            return "found=content " + content;
        }
        if ((PageMemory.getLong(header, DoublewriteLayout.RESERVED_OFFSET)
                        | PageMemory.getLong(
                                header, DoublewriteLayout.RESERVED_OFFSET + Long.BYTES))
                != 0) {
            return "found=reserved bytes set";
        }
        int stored = PageMemory.getInt(header, DoublewriteLayout.PAGE_BYTES_OFFSET);
        if (stored != pageBytes) {
            return "expected=pageBytes " + pageBytes + ", found=" + stored;
        }
        UUID store =
                new UUID(
                        PageMemory.getLong(header, DoublewriteLayout.STORE_ID_OFFSET),
                        PageMemory.getLong(header, DoublewriteLayout.STORE_ID_OFFSET + Long.BYTES));
        return store.equals(storeId) ? "" : "expected=store " + storeId + ", found=" + store;
    }

    private DoublewriteEntry entry(String file, int entry, long imageAt) {
        return new DoublewriteEntry(
                file,
                PageId.of(
                        PageMemory.getInt(header, entry + DoublewriteLayout.ENTRY_SPACE_ID_OFFSET),
                        PageMemory.getInt(
                                header, entry + DoublewriteLayout.ENTRY_PAGE_NUMBER_OFFSET)),
                PageMemory.getLong(header, entry + DoublewriteLayout.ENTRY_PAGE_LSN_OFFSET),
                PageMemory.getLong(header, entry + DoublewriteLayout.ENTRY_LOG_LSN_OFFSET),
                PageMemory.getLong(header, entry + DoublewriteLayout.ENTRY_RECOVERY_LSN_OFFSET),
                PageMemory.getInt(header, entry + DoublewriteLayout.ENTRY_CRC_OFFSET),
                imageAt);
    }

    /** All entries, whether or not they count. */
    public List<DoublewriteEntry> entries() {
        return entries;
    }

    /**
     * Fills the target with the image of an entry.
     *
     * @param target of a page's length, aligned for direct files
     * @return whether there is one and it is what the entry says; not, if a crash tore the batch
     */
    public boolean readImage(DoublewriteEntry entry, ByteBuffer target) throws IOException {
        StorageFile file = files.get(entry.file());
        if (!entry.hasImage() || entry.imageAt() + pageBytes > file.length()) {
            return false;
        }
        read(file, entry.imageAt(), target.clear().limit(pageBytes));
        return DoublewriteLayout.crc(target, 0, pageBytes) == entry.crc();
    }

    /** An error of the device may pass, so it is met a few times first. */
    private static void read(StorageFile file, long at, ByteBuffer target) throws IOException {
        int from = target.position();
        for (int tries = 1; ; tries++) {
            try {
                file.read(at, target.position(from));
                return;
            } catch (IOException e) {
                if (tries == READ_TRIES_MAX) {
                    throw new IOException(
                            "doublewrite file cannot be read: file="
                                    + file.name()
                                    + ", offset="
                                    + at
                                    + ", tries="
                                    + tries,
                            e);
                }
            }
        }
    }

    private static ByteBuffer aligned(int bytes) {
        return ByteBuffer.allocateDirect(bytes + DoublewriteLayout.ALIGNMENT)
                .alignedSlice(DoublewriteLayout.ALIGNMENT);
    }

    /** Closes the files; a second call does nothing. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (StorageFile file : files.values()) {
            try {
                file.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        files.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
