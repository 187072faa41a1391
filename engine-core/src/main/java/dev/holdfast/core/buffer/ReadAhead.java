// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoClass;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoUser;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads pages for scans before they come to them. Scans {@link #offer} what they will want; one
 * agent reads it.
 */
public final class ReadAhead implements BackgroundAgent.Body {
    /*
     * The hand-over is a few places, each for one request. A scan that finds none free goes on
     * without; a request belongs to its scan and is used again, so nothing is allocated. Which of
     * several requests comes first does not matter.
     *
     * Nothing here is waited for by anybody: what the budget of IO or the free frames do not allow
     * is dropped and counted, and the scan reads it when it comes to it.
     */
    private static final int PLACES = 16;

    /** Read at a time: enough for any device, and soon over for who waits for one of them. */
    private static final int BATCH_PAGES = 32;

    /** A scan may have so small a part of the pool read ahead. */
    private static final int POOL_PART = 16;

    private static final int WINDOW_MIN = 2;

    private final BufferPool pool;
    private final IoCapacity capacity;
    private final Counters counters;
    private final BatchReads reads;
    private final int windowMax;
    private final AtomicReferenceArray<ReadAheadRequest> places =
            new AtomicReferenceArray<>(PLACES);

    /** Set once, before there are scans. */
    private volatile Runnable waker = () -> {};

    /** The agent's own. */
    private final long[] pageIds = new long[ReadAheadRequest.PAGES_MAX];

    public ReadAhead(
            BufferPool pool,
            PageStore store,
            IoScheduler scheduler,
            IoCapacity capacity,
            EngineHealth health,
            Counters counters) {
        this.pool = pool;
        this.capacity = capacity;
        this.counters = counters;
        this.reads =
                new BatchReads(
                        pool, store, scheduler, IoClass.READ_AHEAD, BATCH_PAGES, health, counters);
        int share = pool.frameCount() / POOL_PART;
        this.windowMax = Math.max(WINDOW_MIN, Math.min(ReadAheadRequest.PAGES_MAX, share));
    }

    /** What wakes the agent. */
    public void waker(Runnable wakes) {
        waker = wakes;
    }

    /** So many pages at most may a scan be ahead of itself. */
    public int windowMax() {
        return windowMax;
    }

    /** So many pages it begins with, and has at least. */
    public int windowMin() {
        return WINDOW_MIN;
    }

    /**
     * Asks for the request's pages; never waits.
     *
     * @return false if there is no place; nothing will be read then
     */
    public boolean offer(ReadAheadRequest request) {
        request.asked();
        for (int i = 0; i < PLACES; i++) {
            if (places.get(i) == null && places.compareAndSet(i, null, request)) {
                counters.add(Counter.READ_AHEAD_ASKED, request.count());
                waker.run();
                return true;
            }
        }
        request.refused();
        return false;
    }

    /** Notes pages that a scan could not even ask for, since its last request is not begun. */
    public void dropped(int pages) {
        counters.add(Counter.READ_AHEAD_DROPPED_QUEUE, pages);
    }

    /** Notes a page that was in the pool when the scan came to it that had asked for it. */
    public void used() {
        counters.increment(Counter.READ_AHEAD_USED);
    }

    /** Reads for each request that is there. */
    @Override
    public boolean run() {
        boolean found = false;
        for (int i = 0; i < PLACES; i++) {
            ReadAheadRequest request = places.getAndSet(i, null);
            if (request != null) {
                found = true;
                serve(request);
            }
        }
        return found;
    }

    private void serve(ReadAheadRequest request) {
        int number = request.number();
        int asked = request.takeOver(pageIds);
        int missing = 0;
        for (int i = 0; i < asked; i++) {
            if (pool.find(pageIds[i]) == FrameTable.NONE) {
                pageIds[missing] = pageIds[i];
                missing++;
            }
        }
        counters.add(Counter.READ_AHEAD_PRESENT, asked - missing);
        for (int from = 0; from < missing; from += BATCH_PAGES) {
            read(from, Math.min(missing, from + BATCH_PAGES));
        }
        request.ended(number);
    }

    private void read(int from, int to) {
        int pages = to - from;
        if (!capacity.tryTake(IoUser.READ_AHEAD, pages)) {
            counters.add(Counter.READ_AHEAD_DROPPED_BUDGET, pages);
            return;
        }
        int read = reads.read(pageIds, from, to);
        int lost = pages - reads.present() - reads.claimed();
        counters.add(Counter.READ_AHEAD_READ, read);
        counters.add(Counter.READ_AHEAD_PRESENT, reads.present());
        counters.add(Counter.READ_AHEAD_FAILED, reads.claimed() - read);
        counters.add(Counter.READ_AHEAD_DROPPED_FRAMES, lost);
    }
}
