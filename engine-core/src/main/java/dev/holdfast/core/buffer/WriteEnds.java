// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.SequenceBarrier;
import java.util.concurrent.atomic.AtomicLong;

/** Counts batches of page writes that have ended, for who waits until a page is not WRITING. */
final class WriteEnds {
    private final EngineHealth health;
    private final SequenceBarrier barrier = new SequenceBarrier(CoreSites.PAGE_WRITE);
    private final AtomicLong ended = new AtomicLong();

    WriteEnds(EngineHealth health) {
        this.health = health;
        health.onFailure(barrier::wakeAll);
    }

    long ended() {
        return ended.get();
    }

    /** To be called after the pages of a batch are no longer marked as being written. */
    void batchEnded() {
        barrier.advanced(ended.incrementAndGet());
    }

    /** Returns once a batch has ended after {@link #ended} gave the number. */
    void awaitAfter(long number) {
        if (!barrier.await(number + 1, ended::get, health::failed)) {
            health.check();
        }
    }
}
