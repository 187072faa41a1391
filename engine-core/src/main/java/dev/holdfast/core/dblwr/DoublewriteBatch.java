// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.ObjIntConsumer;

/**
 * One slot of the doublewrite area: private copies of pages, written together and then one by one.
 *
 * <p>Owned by one thread from {@link Doublewrite#acquire} to {@link #release}. In this order:
 * {@link #add} each page and seal the copy in place; {@link #write}; write each copy to its data
 * file; sync the data files; {@link #release}. Copies lie behind each other as they were added: in
 * the order of page ids neighbours on disk are neighbours here.
 */
public final class DoublewriteBatch {
    private final Doublewrite owner;
    private final int slot;
    private final int pageBytes;
    private final int pagesMax;
    private final long[] pageIds;
    private final long[] logLsns;
    private final long[] recoveryLsns;

    /**
     * Header and images, as they stand in the file, aligned for direct files. The header ends where
     * the images begin; where it begins goes by how many entries it has.
     */
    private final ByteBuffer buffer;

    private final int imagesFrom;

    /** What is written to the file. */
    private final DoublewriteMode mode;

    /** Null when doublewrite is off: then the batch is only a buffer. */
    private final StorageFile file;

    private int count;

    DoublewriteBatch(
            Doublewrite owner,
            int slot,
            StorageFile file,
            ByteBuffer buffer,
            DoublewriteOptions options) {
        this.owner = owner;
        this.slot = slot;
        this.file = file;
        this.mode = options.mode();
        this.pagesMax = options.pages();
        this.pageBytes = options.pageBytes();
        this.pageIds = new long[pagesMax];
        this.logLsns = new long[pagesMax];
        this.recoveryLsns = new long[pagesMax];
        this.imagesFrom = DoublewriteLayout.headerBytes(pagesMax);
        this.buffer = buffer;
    }

    /** The memory of one slot. */
    static ByteBuffer newBuffer(DoublewriteOptions options) {
        long bytes = DoublewriteLayout.fileBytes(options.pages(), options.pageBytes());
        return ByteBuffer.allocateDirect(Math.toIntExact(bytes) + DoublewriteLayout.ALIGNMENT)
                .alignedSlice(DoublewriteLayout.ALIGNMENT);
    }

    void showFile(ObjIntConsumer<StorageFile> consumer) {
        if (file != null) {
            consumer.accept(file, slot);
        }
    }

    /**
     * Copies a page into the batch.
     *
     * <p><b>Latches:</b> the page held shared at least.
     *
     * @param logLsn every later change of the page begins at or above it (P10): the durable LSN of
     *     the log, read while the page was latched, or the page LSN
     * @param recoveryLsn where the oldest change begins that the page holds and the disk does not
     * @return the offset of the copy in {@link #buffer}
     */
    public int add(long pageId, ByteBuffer chunk, int page, long logLsn, long recoveryLsn) {
        assert !isFull() : "count=" + count;
        int copy = offset(count);
        PageMemory.copy(chunk, page, buffer, copy, pageBytes);
        pageIds[count] = pageId;
        logLsns[count] = logLsn;
        recoveryLsns[count] = recoveryLsn;
        count++;
        return copy;
    }

    /**
     * Writes to the doublewrite file what the mode asks for: the sealed copies, or entries for
     * them, or nothing. {@link #sync} comes next.
     *
     * @throws IOException if the write failed; it may be called again
     */
    public void write() throws IOException {
        if (file == null || count == 0 || Doublewrite.leftOut()) {
            return;
        }
        int header = imagesFrom - DoublewriteLayout.headerBytes(count);
        boolean images = mode == DoublewriteMode.ON;
        for (int i = 0; i < count; i++) {
            writeEntry(DoublewriteLayout.entry(header, i), i, images);
        }
        DoublewriteLayout.writeHeader(
                buffer,
                header,
                pageBytes,
                owner.storeId(),
                owner.nextBatchNumber(),
                images ? DoublewriteLayout.CONTENT_IMAGES : DoublewriteLayout.CONTENT_ENTRIES,
                count);
        int end = images ? offset(count) : imagesFrom;
        file.write(0, buffer.duplicate().limit(end).position(header));
    }

    /**
     * Makes durable what {@link #write} wrote; then the copies may go to the data files.
     *
     * @throws IOException if the sync failed, which is final
     */
    public void sync() throws IOException {
        if (file == null || count == 0 || Doublewrite.leftOut()) {
            return;
        }
        file.sync(true);
        owner.written(count);
    }

    private void writeEntry(int entry, int index, boolean images) {
        int copy = offset(index);
        long pageId = pageIds[index];
        int crc =
                images
                        ? DoublewriteLayout.crc(buffer, copy, pageBytes)
                        : DoublewriteLayout.contentCrc(buffer, copy, pageBytes);
        PageMemory.putInt(
                buffer, entry + DoublewriteLayout.ENTRY_SPACE_ID_OFFSET, PageId.spaceId(pageId));
        PageMemory.putInt(
                buffer,
                entry + DoublewriteLayout.ENTRY_PAGE_NUMBER_OFFSET,
                PageId.pageNumber(pageId));
        PageMemory.putLong(
                buffer,
                entry + DoublewriteLayout.ENTRY_PAGE_LSN_OFFSET,
                PageHeader.pageLsn(buffer, copy));
        PageMemory.putLong(buffer, entry + DoublewriteLayout.ENTRY_LOG_LSN_OFFSET, logLsns[index]);
        PageMemory.putInt(buffer, entry + DoublewriteLayout.ENTRY_CRC_OFFSET, crc);
        PageMemory.putInt(buffer, entry + DoublewriteLayout.ENTRY_KEY_ID_OFFSET, 0);
        PageMemory.putLong(
                buffer, entry + DoublewriteLayout.ENTRY_RECOVERY_LSN_OFFSET, recoveryLsns[index]);
        PageMemory.putLong(buffer, entry + DoublewriteLayout.ENTRY_RESERVED_OFFSET, 0);
    }

    /**
     * Gives the slot back. Only when every data file of the batch has been synced: the next batch
     * overwrites these copies (P10).
     */
    public void release() {
        count = 0;
        owner.released(this);
    }

    public boolean isFull() {
        return count == pagesMax;
    }

    public int count() {
        return count;
    }

    public int pagesMax() {
        return pagesMax;
    }

    public long pageId(int index) {
        return pageIds[index];
    }

    /** The offset of a copy in {@link #buffer}. */
    public int offset(int index) {
        return imagesFrom + index * pageBytes;
    }

    /** Where the copies lie. */
    public ByteBuffer buffer() {
        return buffer;
    }

    /** The number of the slot that the batch is in; no other batch under way has it. */
    public int slot() {
        return slot;
    }

    /** The end of the run of neighbours on disk that begins at an index: pages that go as one. */
    public int endOfRun(int first) {
        int end = first + 1;
        while (end < count && pageIds[end] == pageIds[end - 1] + 1) {
            end++;
        }
        return end;
    }

    /** A view of the copies from one index to another, exclusive, for their data file. */
    public ByteBuffer images(int from, int to) {
        return buffer.duplicate().position(offset(from)).limit(offset(to));
    }

    void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
