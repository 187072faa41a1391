// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.ChecksumException;
import dev.holdfast.core.buffer.PageStore;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.stats.FileStatistics;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Data files as maps: what was written, and what of it was synced. Faults can be planted. */
public final class MemoryPageStore implements PageStore {
    private final Map<Long, byte[]> written = new ConcurrentHashMap<>();
    private final Map<Long, byte[]> durable = new ConcurrentHashMap<>();
    private final Set<Integer> absentSpaces = ConcurrentHashMap.newKeySet();

    /** What every read ends with, or {@code null}. */
    public volatile Error readError;

    /** What is done at the beginning of every read of background IO. */
    public volatile Runnable beforeRead = () -> {};

    /** What is done at the beginning of every write. */
    public volatile Runnable beforeWrite = () -> {};

    /** How many of the next calls fail. */
    public final AtomicInteger readsToFail = new AtomicInteger();

    public final AtomicInteger writesToFail = new AtomicInteger();

    /** How many of the next checksums throw, as one of a host's may. */
    public final AtomicInteger sumsToFail = new AtomicInteger();

    public final AtomicInteger syncsToFail = new AtomicInteger();

    public final AtomicInteger reads = new AtomicInteger();
    public final AtomicInteger writes = new AtomicInteger();
    public final AtomicInteger syncs = new AtomicInteger();

    private final Map<Integer, StorageFile> files = new ConcurrentHashMap<>();
    private final int pageBytes;

    /** A store of pages of 4 KiB. */
    public MemoryPageStore() {
        this(4096);
    }

    public MemoryPageStore(int pageBytes) {
        this.pageBytes = pageBytes;
    }

    @Override
    public void read(long pageId, ByteBuffer target) throws IOException {
        reads.incrementAndGet();
        if (readError != null) {
            throw readError;
        }
        failIfPlanned(readsToFail, "read");
        byte[] page = written.get(pageId);
        if (page == null) {
            throw new EOFException("no such page: " + PageId.describe(pageId));
        }
        target.put(page, 0, target.remaining());
    }

    @Override
    public boolean prepareRead(IoRequest request, long pageId, ByteBuffer target) {
        if (!present(PageId.spaceId(pageId))) {
            return false;
        }
        request.read(file(pageId), position(pageId), target);
        return true;
    }

    @Override
    public boolean prepareWrite(IoRequest request, long pageId, ByteBuffer source) {
        if (!present(PageId.spaceId(pageId))) {
            return false;
        }
        request.write(file(pageId), position(pageId), source);
        return true;
    }

    private StorageFile file(long pageId) {
        return files.computeIfAbsent(PageId.spaceId(pageId), SpacePages::new);
    }

    private long position(long pageId) {
        return Integer.toUnsignedLong(PageId.pageNumber(pageId)) * pageBytes;
    }

    public void write(long pageId, ByteBuffer source) throws IOException {
        writes.incrementAndGet();
        beforeWrite.run();
        failIfPlanned(writesToFail, "write");
        for (long id = pageId; source.hasRemaining(); id++) {
            byte[] page = new byte[pageBytes];
            source.get(page);
            written.put(id, page);
        }
    }

    @Override
    public void sync(int spaceId) throws IOException {
        syncs.incrementAndGet();
        failIfPlanned(syncsToFail, "sync");
        written.forEach(
                (pageId, page) -> {
                    if (PageId.spaceId(pageId) == spaceId) {
                        durable.put(pageId, page);
                    }
                });
    }

    @Override
    public void syncAll() throws IOException {
        failIfPlanned(syncsToFail, "sync");
        durable.putAll(written);
    }

    @Override
    public int allowedKinds(int spaceId) {
        return PageSeal.kindBit(PageChecksums.CRC32C);
    }

    @Override
    public ChecksumKinds checksums() {
        if (sumsToFail.getAndUpdate(sums -> Math.max(0, sums - 1)) > 0) {
            throw new ChecksumException("checksum function failed: planned", null);
        }
        return ChecksumKinds.BUILT_IN;
    }

    @Override
    public PageChecksum checksumFor(int spaceId) {
        return PageChecksums.CRC32C;
    }

    @Override
    public String fileName(int spaceId) {
        return "space-" + spaceId + ".hfs";
    }

    @Override
    public boolean present(int spaceId) {
        return !absentSpaces.contains(spaceId);
    }

    public void drop(int spaceId) {
        absentSpaces.add(spaceId);
    }

    /**
     * The page as a reader would find it, or {@code null}; to be changed by a test that damages.
     */
    public byte[] writtenPage(long pageId) {
        return written.get(pageId);
    }

    /** The page as it would be after a power loss at once, or {@code null}. */
    public byte[] durablePage(long pageId) {
        return durable.get(pageId);
    }

    /** The pages of a space as a file that can be written to. */
    private final class SpacePages implements StorageFile {
        private final int spaceId;
        private final FileStatistics statistics = new FileStatistics();

        SpacePages(int spaceId) {
            this.spaceId = spaceId;
        }

        @Override
        public String name() {
            return fileName(spaceId);
        }

        @Override
        public void write(long position, ByteBuffer source) throws IOException {
            MemoryPageStore.this.write(PageId.of(spaceId, (int) (position / pageBytes)), source);
        }

        @Override
        public FileStatistics statistics() {
            return statistics;
        }

        @Override
        public void close() {}

        @Override
        public void read(long position, ByteBuffer target) throws IOException {
            beforeRead.run();
            for (long id = PageId.of(spaceId, (int) (position / pageBytes));
                    target.hasRemaining();
                    id++) {
                ByteBuffer page = target.slice(target.position(), pageBytes);
                MemoryPageStore.this.read(id, page);
                target.position(target.position() + pageBytes);
            }
        }

        @Override
        public void sync(boolean dataOnly) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long length() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void truncate(long length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void zeroFill(long from, long to) {
            throw new UnsupportedOperationException();
        }
    }

    private static void failIfPlanned(AtomicInteger plan, String what) throws IOException {
        if (plan.get() > 0 && plan.getAndDecrement() > 0) {
            throw new IOException("planned failure: what=" + what);
        }
    }
}
