// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.dblwr.DoublewriteBatch;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.core.watch.RoomWait;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.file.StorageErrors;
import dev.holdfast.sync.BufferLatch;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes dirty pages, a batch at a time, through the doublewrite. Safe for several threads: who
 * marks a frame as WRITING writes it.
 */
public final class PageFlusher {
    /*
     * One batch, in this order, which P10 and P11 rest on:
     *   copy each page under its shared latch, with the log's durable LSN read under it; from now
     *     on the batch's account in PageWrites stands for the changes that the copies hold
     *   make the log durable through the greatest page LSN of the copies
     *   seal the copies; write and sync the doublewrite file
     *   write the copies to their places, all at once; when all are written, sync each file that
     *     got one
     *   now the frames are clean, or as dirty as what came since the copy; WRITING ends
     *   close the account; release the doublewrite slot
     *
     * Several batches may be under way, in a thread and a slot each: a page goes with whoever marks
     * it, and what holds for a batch holds for it alone. So one is copied while another is synced.
     *
     * Pages are copied in the order of their ids: neighbours on disk then lie behind each other in
     * the batch and go out in one transfer. The transfers of a batch go to the write threads of the
     * scheduler, since a device does several at a time, but the doublewrite file's, which is one.
     *
     * The log LSN that goes with a copy says: every later change of the page begins at or above it
     * (P10). That must hold after a crash too, where LSNs that were not durable are given out again:
     * so it is the durable LSN, not the append LSN, or the page LSN if that is higher, through which
     * the log is made durable before the copy is written. While recovery replays the log, a page
     * does not yet hold all changes below the durable LSN, and its page LSN is all that can be said.
     *
     * No latch is held after the copy. A change that comes while a page is being written is noted in
     * the frame's second LSN.
     *
     * A write of a page, or of the batch's copies, that fails is tried again after a pause, from the
     * same copy, so that the slot keeps what a torn page would need. After the last try, and after
     * any failed sync, the engine fails: the checkpoint may never pass that page.
     *
     * Where pages are not written in place (copy on write, sparse files) a full disk may refuse a
     * page write. Nothing is lost by that: the page is dirty, its copy is in its slot. So such a
     * write is tried until there is room, and only what needs this page's frame or the log that it
     * holds up comes to wait meanwhile. The engine's failure, by a close too, ends it.
     */
    private static final int WRITE_TRIES_MAX = 3;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

    public static final String COPIED = "buffer.flush.copied";
    public static final String DOUBLEWRITTEN = "buffer.flush.doublewritten";
    public static final String WRITTEN = "buffer.flush.written";
    public static final String SYNCED = "buffer.flush.synced";

    private final BufferPool pool;
    private final FrameTable frames;
    private final PageStore store;
    private final WriteAhead log;
    private final Doublewrite doublewrite;
    private final EngineHealth health;
    private final Counters counters;
    private final int pageBytes;

    /** By doublewrite slot: who has the slot has the element. */
    private final BatchWrites[] dataWrites = new BatchWrites[Doublewrite.SLOTS_MAX];

    /** The same. */
    private final RoomWait[] roomWaits = new RoomWait[Doublewrite.SLOTS_MAX];

    /** Set by who recovers, before and after. */
    private volatile boolean isReplaying;

    public PageFlusher(
            BufferPool pool,
            PageStore store,
            WriteAhead log,
            Doublewrite doublewrite,
            IoScheduler scheduler,
            EngineHealth health,
            Counters counters) {
        this.pool = pool;
        this.frames = pool.frames();
        this.store = store;
        this.log = log;
        this.doublewrite = doublewrite;
        this.health = health;
        this.counters = counters;
        this.pageBytes = pool.pageBytes();
        for (int slot = 0; slot < dataWrites.length; slot++) {
            dataWrites[slot] = new BatchWrites(store, scheduler, doublewrite.pagesMax());
            roomWaits[slot] = health.roomWait();
        }
    }

    /** Pages in a batch at most. */
    int batchPages() {
        return doublewrite.pagesMax();
    }

    /**
     * Writes those of the frames that are dirty and that nobody else is writing, in the order of
     * their page ids.
     *
     * <p><b>Latches:</b> none of a page held, nor one above.
     *
     * @param waits whether to wait for latches; else frames that are latched exclusively are left
     * @return how many pages were written
     * @throws dev.holdfast.EngineFailedException if the engine failed, by this or before
     */
    int write(int[] candidates, int count, boolean waits) {
        long[] pageIds = sortedPageIds(candidates, count);
        int written = 0;
        int done = 0;
        while (done < count) {
            health.check();
            DoublewriteBatch batch = doublewrite.acquire();
            try {
                int[] inBatch = new int[batch.pagesMax()];
                health.check();
                while (done < count && !batch.isFull()) {
                    copy(pageIds[done], batch, inBatch, waits);
                    done++;
                }
                if (batch.count() > 0) {
                    TestHooks.reached(COPIED);
                    // A page that a failed change left half done was latched until the failure
                    // was noted, so it shows here.
                    health.check();
                    write(batch, inBatch);
                    written += batch.count();
                    pool.writes().ended(batch.slot());
                }
            } catch (Throwable t) {
                health.fail(t);
                health.check();
            } finally {
                // Failed or not: after a failure nobody fills a slot any more.
                batch.release();
            }
        }
        return written;
    }

    /** Hints: what is in a frame is asked again under its latch. */
    private long[] sortedPageIds(int[] candidates, int count) {
        long[] pageIds = new long[count];
        for (int i = 0; i < count; i++) {
            pageIds[i] = frames.pageId(candidates[i]);
        }
        Arrays.sort(pageIds);
        return pageIds;
    }

    /**
     * Says that recovery begins, or has ended, to replay the log into the pool. In between the
     * pages do not yet hold all changes below the log's end.
     */
    public void replaying(boolean replaying) {
        isReplaying = replaying;
    }

    /** The LSN at or above which every later change of the page begins; under its latch. */
    private long logLsn(int frame) {
        long pageLsn = PageHeader.pageLsn(pool.chunk(frame), pool.offset(frame));
        return isReplaying ? pageLsn : Math.max(pageLsn, log.durableLsn());
    }

    private void copy(long pageId, DoublewriteBatch batch, int[] inBatch, boolean waits) {
        int frame = pageId == PageId.NONE ? FrameTable.NONE : pool.find(pageId);
        if (frame == FrameTable.NONE || frames.recoveryLsnAcquire(frame) == 0) {
            return;
        }
        ByteBuffer table = frames.table();
        int line = FrameTable.line(frame);
        if (!BufferLatch.tryAcquireShared(table, line)) {
            if (!waits) {
                counters.increment(Counter.CLEANER_PAGES_SKIPPED);
                return;
            }
            if (!BufferLatch.acquireSharedTagged(table, line, pool.siteOf(pageId), pageId)) {
                return;
            }
        }
        assert HeldLatches.acquiredWithoutWaiting(pool.siteOf(pageId), frame);
        try {
            FlushList list = pool.supply().shardOf(frame).flushList();
            if (pool.holds(frame, pageId)
                    && store.present(PageId.spaceId(pageId))
                    && list.beginWriting(frame, pool.writes(), batch.slot())) {
                inBatch[batch.count()] = frame;
                batch.add(
                        pageId,
                        pool.chunk(frame),
                        pool.offset(frame),
                        logLsn(frame),
                        frames.recoveryLsnAcquire(frame));
            }
        } finally {
            assert HeldLatches.released(pool.siteOf(pageId), frame);
            BufferLatch.releaseShared(table, line);
        }
    }

    private void write(DoublewriteBatch batch, int[] inBatch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        long newestLsn = 0;
        for (int i = 0; i < batch.count(); i++) {
            PageSeal.checkBeforeWrite(buffer, batch.offset(i), batch.pageId(i));
            newestLsn = Math.max(newestLsn, PageHeader.pageLsn(buffer, batch.offset(i)));
        }
        if (!TestHooks.fault(PlantedFault.NO_WRITE_AHEAD)) {
            log.makeDurable(newestLsn);
        }
        for (int i = 0; i < batch.count(); i++) {
            int spaceId = PageId.spaceId(batch.pageId(i));
            PageSeal.seal(buffer, batch.offset(i), pageBytes, store.checksumFor(spaceId));
        }
        untilWritten(batch, batch::write);
        batch.sync();
        TestHooks.reached(DOUBLEWRITTEN);
        BatchWrites toFiles = dataWrites[batch.slot()];
        toFiles.begin();
        untilWritten(batch, () -> toFiles.write(batch));
        TestHooks.reached(WRITTEN);
        if (!TestHooks.fault(PlantedFault.CHECKPOINT_BEFORE_DATA_SYNC)) {
            syncFiles(batch);
        }
        TestHooks.reached(SYNCED);
        for (int i = 0; i < batch.count(); i++) {
            pool.supply().shardOf(inBatch[i]).flushList().written(inBatch[i]);
        }
        counters.add(Counter.PAGES_WRITTEN, batch.count());
    }

    private void untilWritten(DoublewriteBatch batch, Transfer transfer) throws IOException {
        RoomWait roomWait = roomWaits[batch.slot()];
        try {
            untilWritten(roomWait, transfer);
        } finally {
            roomWait.over();
        }
    }

    private void untilWritten(RoomWait roomWait, Transfer transfer) throws IOException {
        long pauseNanos = PAUSE_NANOS;
        int tries = 0;
        while (true) {
            // Nothing is begun after a failure, not even what was begun before and is tried again.
            health.check();
            try {
                transfer.run();
                return;
            } catch (IOException e) {
                counters.increment(Counter.PAGE_WRITE_FAILURES);
                if (StorageErrors.isSpaceExhausted(e)) {
                    roomWait.refused(e);
                } else {
                    tries++;
                }
                if (tries == WRITE_TRIES_MAX) {
                    throw new IOException(
                            "page write failed: tries=" + tries + ", " + e.getMessage(), e);
                }
                LockSupport.parkNanos(this, pauseNanos);
                pauseNanos = Math.min(4 * pauseNanos, PAUSE_NANOS_MAX);
            }
        }
    }

    /** Syncs each file once; the pages of one lie behind each other. */
    private void syncFiles(DoublewriteBatch batch) throws IOException {
        for (int i = 0; i < batch.count(); i++) {
            int spaceId = PageId.spaceId(batch.pageId(i));
            boolean first = i == 0 || PageId.spaceId(batch.pageId(i - 1)) != spaceId;
            if (first && store.present(spaceId)) {
                store.sync(spaceId);
                counters.increment(Counter.DATA_FILE_SYNCS);
            }
        }
    }

    /** A write that may be made again from the same bytes. */
    private interface Transfer {
        void run() throws IOException;
    }
}
