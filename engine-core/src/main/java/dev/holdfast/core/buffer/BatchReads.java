// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.ChecksumException;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.async.IoClass;
import dev.holdfast.io.async.IoGroup;
import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Brings pages into the pool that nobody waits for yet, all at the device together. For one thread
 * at a time.
 */
final class BatchReads {
    /*
     * Each page is claimed as by any loader (P2), so who wants one meanwhile waits for its latch.
     * The claims are made before the first read is submitted, and while they are held nothing is
     * waited for but the reads: no latch, no frame. A page that has a frame, whoever is loading it,
     * is left to him.
     *
     * What cannot be read, or is not the page, is forgotten: mapping and frame go back, nobody is
     * told and nothing is counted as damage. It may be a page that its tree has given up since its
     * number was found. Whoever wants it reads it himself, with the retries and the message of a
     * read that is waited for.
     *
     * All requests have ended before a claim ends, however it ends: the device writes into frames.
     * What is thrown in between makes the engine fail before a latch is released.
     */

    /** Sync point: the pages are claimed, no read is submitted. */
    static final String CLAIMED = "buffer.batchReads.claimed";

    private final BufferPool pool;
    private final PageStore store;
    private final EngineHealth health;
    private final Counters counters;
    private final IoGroup group;
    private final IoRequest[] requests;
    private final long[] pageIds;
    private final int[] frames;
    private final boolean[] isSubmitted;
    private int claimed;
    private int present;

    BatchReads(
            BufferPool pool,
            PageStore store,
            IoScheduler scheduler,
            IoClass who,
            int pagesMax,
            EngineHealth health,
            Counters counters) {
        this.pool = pool;
        this.store = store;
        this.health = health;
        this.counters = counters;
        this.group = new IoGroup(scheduler, who);
        this.requests = new IoRequest[pagesMax];
        this.pageIds = new long[pagesMax];
        this.frames = new int[pagesMax];
        this.isSubmitted = new boolean[pagesMax];
        for (int i = 0; i < pagesMax; i++) {
            requests[i] = group.newRequest();
        }
    }

    /**
     * Reads those of the pages, at most as many as the batch was made for, that are in no frame, as
     * long as there are frames for them. Returns when all reads have ended; after a failure of the
     * engine it reads nothing.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return how many are in the pool now that were not
     */
    int read(long[] wanted, int from, int to) {
        claimed = 0;
        present = 0;
        if (health.failed()) {
            return 0;
        }
        for (int i = from; i < to; i++) {
            pool.prepare(wanted[i]);
        }
        int read;
        try {
            claim(wanted, from, to);
            TestHooks.reached(CLAIMED);
            submit();
        } catch (Throwable e) {
            health.fail(e);
            throw e;
        } finally {
            group.await();
            read = settle();
        }
        counters.add(Counter.PAGE_READS, read);
        return read;
    }

    /** Of the last call: pages that had a frame already. */
    int present() {
        return present;
    }

    /** Of the last call: pages that were asked of the device, or would have been. */
    int claimed() {
        return claimed;
    }

    private void claim(long[] wanted, int from, int to) {
        for (int i = from; i < to; i++) {
            long pageId = wanted[i];
            int frame = FrameTable.NONE;
            if (pool.find(pageId) == FrameTable.NONE) {
                frame = pool.tryClaim(pageId);
                if (frame == FrameTable.NONE && pool.find(pageId) == FrameTable.NONE) {
                    return;
                }
            }
            if (frame == FrameTable.NONE) {
                present++;
            } else {
                pageIds[claimed] = pageId;
                frames[claimed] = frame;
                isSubmitted[claimed] = false;
                claimed++;
            }
        }
    }

    private void submit() {
        for (int i = 0; i < claimed && !health.failed(); i++) {
            int frame = frames[i];
            int begin = pool.offset(frame);
            ByteBuffer target = pool.chunk(frame).duplicate();
            target.limit(begin + pool.pageBytes()).position(begin);
            try {
                if (store.prepareRead(requests[i], pageIds[i], target)) {
                    group.submit(requests[i]);
                    isSubmitted[i] = true;
                }
            } catch (IOException closing) {
                return;
            }
        }
    }

    /** Ends all claims; throws nothing. Returns how many pages were read. */
    private int settle() {
        int read = 0;
        for (int i = 0; i < claimed; i++) {
            if (isRead(i)) {
                pool.claimRead(frames[i]);
                read++;
            } else {
                pool.claimGivenUp(frames[i], pageIds[i]);
            }
        }
        return read;
    }

    private boolean isRead(int i) {
        if (!isSubmitted[i] || health.failed()) {
            return false;
        }
        Throwable failure = requests[i].failure();
        if (failure != null) {
            if (!(failure instanceof IOException || failure instanceof OutOfMemoryError)) {
                health.fail(failure);
            }
            return false;
        }
        try {
            return pool.isSound(frames[i], pageIds[i]);
        } catch (ChecksumException ofTheHost) {
            // Whoever wants the page hears of it.
            return false;
        } catch (Throwable e) {
            health.fail(e);
            return false;
        }
    }
}
