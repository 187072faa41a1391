// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.dblwr.DoublewriteBatch;
import dev.holdfast.core.dblwr.DoublewriteOptions;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.space.SpaceHeader;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A space and doublewrite files that a test writes and damages, and the repair of them. */
final class RepairFixture implements AutoCloseable {
    static final UUID STORE = new UUID(7, 9);
    static final int SPACE = 16;
    private static final int TREE = 20;
    static final String SPACE_FILE = "space-16.hfs";

    /** The checkpoint that repairs begin at. */
    static final long CHECKPOINT = 1000;

    final StorageDirectory directory;
    final SpaceFiles files;
    private final int pageBytes;

    private RepairFixture(StorageDirectory directory, int pageBytes, PageChecksum kind) {
        this.directory = directory;
        this.pageBytes = pageBytes;
        this.files = new SpaceFiles(directory, StoreIdentity.create(STORE, pageBytes), kind);
    }

    /** A new space whose pages bear checksums of that kind, and are all in use. */
    static RepairFixture create(StorageDirectory directory, int pageBytes, PageChecksum kind)
            throws IOException {
        RepairFixture fixture = new RepairFixture(directory, pageBytes, kind);
        directory.createDirectory("doublewrite");
        fixture.files.create(SPACE);
        int pages = AllocationMap.pagesPerExtent(pageBytes);
        for (int page = AllocationMap.FIRST_FREE_PAGE; page < pages; page++) {
            fixture.map(page, AllocationMap.entry(AllocationMap.USED, TREE), kind);
        }
        return fixture;
    }

    /** As the map on the disk has it from now on. */
    void map(int pageNumber, long entry, PageChecksum kind) throws IOException {
        long mapId = pageId(AllocationMap.mapPage(0, pageBytes));
        ByteBuffer map = direct(readPage(mapId));
        PageMemory.putLong(map, AllocationMap.entryOffset(pageNumber), entry);
        PageSeal.seal(map, 0, pageBytes, kind);
        writePage(mapId, bytes(map));
    }

    /** As the header on the disk has it from now on. */
    void pageCount(int pages, PageChecksum kind) throws IOException {
        ByteBuffer header = direct(readPage(pageId(0)));
        PageMemory.putInt(header, SpaceHeader.PAGE_COUNT_OFFSET, pages);
        PageSeal.seal(header, 0, pageBytes, kind);
        writePage(pageId(0), bytes(header));
    }

    /** What is there. */
    static RepairFixture open(StorageDirectory directory, int pageBytes, PageChecksum kind)
            throws IOException {
        RepairFixture fixture = new RepairFixture(directory, pageBytes, kind);
        fixture.files.openAll();
        return fixture;
    }

    /**
     * A page as the doublewrite gets it.
     *
     * @param logLsn of its entry: below {@link #CHECKPOINT} the entry does not count
     * @param recoveryLsn of its entry: below the checkpoint the page was written once
     */
    record Copy(long pageId, byte[] image, long logLsn, long recoveryLsn) {}

    static Copy copy(long pageId, byte[] image, long logLsn) {
        return new Copy(pageId, image, logLsn, CHECKPOINT);
    }

    static long pageId(int pageNumber) {
        return PageId.of(SPACE, pageNumber);
    }

    /** A sealed page whose every sector tells the LSN. */
    byte[] image(long pageId, long lsn, PageChecksum kind) {
        ByteBuffer page = ByteBuffer.allocateDirect(pageBytes);
        PageMemory.fill(page, 0, pageBytes, (byte) (lsn * 31 + pageId));
        for (int at = 0; at < pageBytes; at += Long.BYTES) {
            PageMemory.putLong(page, at, lsn * 0x9E3779B97F4A7C15L + pageId + at);
        }
        PageHeader.initialize(page, 0, pageBytes, pageId, TREE, PageType.LEAF);
        PageHeader.pageLsn(page, 0, lsn);
        PageSeal.seal(page, 0, pageBytes, kind);
        return bytes(page);
    }

    /** The page with another LSN, sealed. */
    byte[] withLsn(byte[] image, long lsn) {
        ByteBuffer page = direct(image);
        PageHeader.pageLsn(page, 0, lsn);
        PageSeal.seal(page, 0, pageBytes, PageChecksums.CRC32C);
        return bytes(page);
    }

    /** Writes a batch as the cleaner does, into one of so many slots. */
    void writeBatch(DoublewriteMode mode, int slots, int slot, Copy... copies) throws IOException {
        DoublewriteOptions options =
                new DoublewriteOptions(mode, slots, Math.max(4, copies.length), pageBytes);
        try (Doublewrite doublewrite =
                Doublewrite.open(directory, options, STORE, new Counters())) {
            List<DoublewriteBatch> others = new ArrayList<>();
            DoublewriteBatch batch = doublewrite.acquire();
            while (batch.slot() != slot) {
                others.add(batch);
                batch = doublewrite.acquire();
            }
            for (Copy copy : copies) {
                batch.add(copy.pageId, direct(copy.image), 0, copy.logLsn, copy.recoveryLsn);
            }
            batch.write();
            batch.sync();
            batch.release();
            others.forEach(DoublewriteBatch::release);
        }
    }

    /** As a conversion begins: the header on the disk allows another kind too. */
    void allow(PageChecksum kind, PageChecksum sealedWith) throws IOException {
        ByteBuffer header = direct(readPage(pageId(0)));
        int kinds = PageMemory.getUnsignedByte(header, SpaceHeader.CHECKSUM_KINDS_OFFSET);
        PageMemory.putByte(
                header, SpaceHeader.CHECKSUM_KINDS_OFFSET, (byte) (kinds | PageSeal.kindBit(kind)));
        PageSeal.seal(header, 0, pageBytes, sealedWith);
        writePage(pageId(0), bytes(header));
    }

    void writePage(long pageId, byte[] bytes) throws IOException {
        files.write(pageId, direct(bytes));
    }

    byte[] readPage(long pageId) throws IOException {
        ByteBuffer page = ByteBuffer.allocateDirect(pageBytes);
        files.read(pageId, page);
        return bytes(page);
    }

    DoublewriteRepair.Result repair() throws IOException {
        return new DoublewriteRepair(directory, files, CHECKPOINT).run();
    }

    /** Bytes of a file, changed in place. */
    void overwrite(String name, long position, byte[] bytes) throws IOException {
        try (StorageFile file = directory.open(name)) {
            file.write(position, direct(bytes));
        }
    }

    byte[] contents(String name) throws IOException {
        try (StorageFile file = directory.open(name)) {
            ByteBuffer all = ByteBuffer.allocateDirect((int) file.length());
            file.read(0, all);
            return bytes(all);
        }
    }

    /** The first bytes of one and the rest of the other: what a torn write leaves. */
    static byte[] torn(byte[] head, byte[] tail, int boundary) {
        byte[] mixed = tail.clone();
        System.arraycopy(head, 0, mixed, 0, boundary);
        return mixed;
    }

    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.get(0, bytes);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
