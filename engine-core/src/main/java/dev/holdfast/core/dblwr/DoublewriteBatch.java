// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

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

    /** Header and images, as they stand in the file; aligned for direct files. */
    private final ByteBuffer buffer;

    /** Null when doublewrite is off: then the batch is only a buffer. */
    private final StorageFile file;

    private int count;

    DoublewriteBatch(Doublewrite owner, int slot, StorageFile file, int pagesMax, int pageBytes) {
        this.owner = owner;
        this.slot = slot;
        this.file = file;
        this.pagesMax = pagesMax;
        this.pageBytes = pageBytes;
        this.pageIds = new long[pagesMax];
        this.logLsns = new long[pagesMax];
        int bytes = Math.toIntExact(DoublewriteLayout.fileBytes(pagesMax, pageBytes));
        this.buffer =
                ByteBuffer.allocateDirect(bytes + Doublewrite.ALIGNMENT)
                        .alignedSlice(Doublewrite.ALIGNMENT);
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
     * @return the offset of the copy in {@link #buffer}
     */
    public int add(long pageId, ByteBuffer chunk, int page, long logLsn) {
        assert !isFull() : "count=" + count;
        int copy = DoublewriteLayout.image(count, pageBytes);
        PageMemory.copy(chunk, page, buffer, copy, pageBytes);
        pageIds[count] = pageId;
        logLsns[count] = logLsn;
        count++;
        return copy;
    }

    /**
     * Writes the sealed copies to the doublewrite file and syncs it. Without doublewrite nothing.
     *
     * @throws IOException if a write or the sync failed; the batch may not go on to the data files
     */
    public void write() throws IOException {
        if (file == null || count == 0 || Doublewrite.leftOut()) {
            return;
        }
        for (int i = 0; i < count; i++) {
            writeEntry(i);
        }
        DoublewriteLayout.writeHeader(
                buffer, pageBytes, owner.storeId(), owner.nextBatchNumber(), count);
        int bytes = DoublewriteLayout.image(count, pageBytes);
        file.write(0, buffer.duplicate().position(0).limit(bytes));
        file.sync(true);
        owner.written(count);
    }

    private void writeEntry(int index) {
        int entry = DoublewriteLayout.entry(index);
        int copy = offset(index);
        PageMemory.putInt(
                buffer,
                entry + DoublewriteLayout.ENTRY_SPACE_ID_OFFSET,
                PageId.spaceId(pageIds[index]));
        PageMemory.putInt(
                buffer,
                entry + DoublewriteLayout.ENTRY_PAGE_NUMBER_OFFSET,
                PageId.pageNumber(pageIds[index]));
        PageMemory.putLong(
                buffer,
                entry + DoublewriteLayout.ENTRY_PAGE_LSN_OFFSET,
                PageHeader.pageLsn(buffer, copy));
        PageMemory.putLong(buffer, entry + DoublewriteLayout.ENTRY_LOG_LSN_OFFSET, logLsns[index]);
        PageMemory.putInt(
                buffer,
                entry + DoublewriteLayout.ENTRY_IMAGE_CRC_OFFSET,
                DoublewriteLayout.crc(buffer, copy, pageBytes));
        int reserved = DoublewriteLayout.ENTRY_KEY_ID_OFFSET;
        PageMemory.fill(
                buffer, entry + reserved, DoublewriteLayout.ENTRY_BYTES - reserved, (byte) 0);
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
        return DoublewriteLayout.image(index, pageBytes);
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
