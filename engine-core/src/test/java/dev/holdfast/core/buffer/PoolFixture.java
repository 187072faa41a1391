// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.dblwr.DoublewriteOptions;
import dev.holdfast.core.mtr.MemoryPageStore;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoSchedulerOptions;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/** A pool without threads, over a log of numbers and files in memory. */
final class PoolFixture implements AutoCloseable {
    static final int PAGE_BYTES = 4096;
    static final UUID STORE = new UUID(3, 4);
    static final int BODY = PageHeader.BODY_OFFSET;

    final EngineHealth health = new EngineHealth();
    final Counters counters = new Counters();
    final MemoryPageStore store = new MemoryPageStore();
    final TestLog log = new TestLog();
    final MemoryDirectory directory = MemoryDirectory.create();
    final IoScheduler io =
            IoScheduler.start(IoSchedulerOptions.forCapacity(6_000), IoSites.IO_QUEUE, nanos -> {});
    final BufferPool pool;
    final Doublewrite doublewrite;
    final PageFlusher flusher;

    PoolFixture(int frames) {
        pool =
                new BufferPool(
                        new PoolOptions(PAGE_BYTES, frames, 1, 1000), store, log, health, counters);
        try {
            var options = new DoublewriteOptions(DoublewriteMode.ON, 2, 16, PAGE_BYTES);
            Doublewrite.create(directory, options);
            doublewrite = Doublewrite.open(directory, options, STORE, counters);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        flusher = new PageFlusher(pool, store, log, doublewrite, io, health, counters);
    }

    /** Puts a page on the disk that bears a value. */
    void putOnDisk(long pageId, long value) {
        putOnDisk(pageId, value, 10);
    }

    void putOnDisk(long pageId, long value, long pageLsn) {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
        PageHeader.initialize(page, 0, PAGE_BYTES, pageId, 16, PageType.LEAF);
        PageMemory.putLong(page, BODY, value);
        PageHeader.pageLsn(page, 0, pageLsn);
        PageSeal.seal(page, 0, PAGE_BYTES, PageChecksums.CRC32C);
        try {
            store.write(pageId, page);
            store.sync(PageId.spaceId(pageId));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        store.writes.set(0);
        store.syncs.set(0);
    }

    /** The value of a page as a reader with a latch sees it. */
    long read(long pageId) {
        int frame = pool.fixShared(pageId);
        long value = value(frame);
        pool.unfixShared(frame);
        return value;
    }

    long value(int frame) {
        return PageMemory.getLong(pool.chunk(frame), pool.offset(frame) + BODY);
    }

    /** Changes a page as a group of its own. */
    void change(long pageId, long value) {
        int frame = pool.fixExclusive(pageId);
        changeLatched(frame, value);
        pool.unfixExclusive(frame);
    }

    void changeLatched(int frame, long value) {
        long start = log.group(64);
        pool.markDirty(frame, start);
        PageMemory.putLong(pool.chunk(frame), pool.offset(frame) + BODY, value);
        PageHeader.pageLsn(pool.chunk(frame), pool.offset(frame), start + 64);
    }

    /** Writes all dirty pages that can be latched. */
    int flushAll() {
        int[] dirty = new int[pool.frameCount()];
        int count = pool.collectOldest(dirty, dirty.length, Long.MAX_VALUE);
        return flusher.write(dirty, count, false);
    }

    @Override
    public void close() {
        try {
            io.close();
            doublewrite.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        pool.close();
    }
}
