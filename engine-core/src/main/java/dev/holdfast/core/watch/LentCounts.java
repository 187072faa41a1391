// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An engine's {@link LocalCounts}, as many as there were users at once. What is given back keeps
 * what was counted in it and goes on with its next user, so nothing is ever folded and nothing
 * lost.
 */
final class LentCounts {
    private final Counters others;

    /** All ever made, the youngest first; none leaves. */
    private final AtomicReference<LocalCounts> youngest = new AtomicReference<>();

    /** What nobody has; offer and poll hand the plain values on to the next user. */
    private final ConcurrentLinkedQueue<LocalCounts> idle = new ConcurrentLinkedQueue<>();

    LentCounts(Counters others) {
        this.others = others;
    }

    LocalCounts lend() {
        LocalCounts counts = idle.poll();
        while (counts == null) {
            LocalCounts older = youngest.get();
            LocalCounts made = new LocalCounts(others, older);
            counts = youngest.compareAndSet(older, made) ? made : null;
        }
        return counts;
    }

    void giveBack(LocalCounts counts) {
        idle.offer(counts);
    }

    /** The sum so far; additions that run beside it may be in it or not. */
    long sum(Counter counter) {
        long sum = 0;
        for (LocalCounts counts = youngest.get(); counts != null; counts = counts.older) {
            sum += counts.valueOpaque(counter);
        }
        return sum;
    }
}
