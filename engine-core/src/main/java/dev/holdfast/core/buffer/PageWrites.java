// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.SequenceBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The batches of page writes that are under way: the oldest change that each stands for, and a
 * count of those that have ended, for who waits until a page is not WRITING.
 */
final class PageWrites {
    /*
     * A batch has the number of its doublewrite slot, so that no two under way have the same. Its
     * account is lowered while frames leave the flush lists for it, and closed when all of them are
     * durable. If the batch fails so does the engine, and the account stays open: no checkpoint may
     * pass it.
     */
    private static final long NOTHING = Long.MAX_VALUE;

    private final SequenceBarrier barrier = new SequenceBarrier(CoreSites.PAGE_WRITE);
    private final AtomicLong ended = new AtomicLong();
    private final EngineHealth health;

    /** Written by the batch's owner; read by checkpoints. */
    private final AtomicLongArray oldest;

    PageWrites(EngineHealth health, int batchesMax) {
        this.health = health;
        this.oldest = new AtomicLongArray(batchesMax);
        for (int i = 0; i < batchesMax; i++) {
            oldest.set(i, NOTHING);
        }
        health.onFailure(barrier::wakeAll);
    }

    /** Says that a page goes with the batch whose recovery LSN is this. */
    void covers(int batch, long recoveryLsn) {
        if (recoveryLsn < oldest.get(batch)) {
            oldest.set(batch, recoveryLsn);
        }
    }

    /** The oldest recovery LSN in all batches under way, or the greatest number. */
    long oldestLsn() {
        long lsn = NOTHING;
        for (int i = 0; i < oldest.length(); i++) {
            lsn = Math.min(lsn, oldest.get(i));
        }
        return lsn;
    }

    /** Batches that have ended. */
    long ended() {
        return ended.get();
    }

    /** To be called when the pages of a batch are durable and no longer marked as being written. */
    void ended(int batch) {
        oldest.set(batch, NOTHING);
        barrier.advanced(ended.incrementAndGet());
    }

    /** Returns once a batch has ended after {@link #ended()} gave the number. */
    void awaitAfter(long number) {
        if (!barrier.await(number + 1, ended::get, health::failed)) {
            health.check();
        }
    }
}
