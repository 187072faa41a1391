// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One counter in as many parts as there were users at once. A part that is given back keeps what
 * was counted in it and goes on with its next user, so nothing is ever folded and nothing lost.
 */
public final class LocalCounts {
    /** All parts ever made, the youngest first; none leaves. */
    private final AtomicReference<LocalCount> youngest = new AtomicReference<>();

    /** Parts that nobody has; offer and poll hand the plain value on to the next user. */
    private final ConcurrentLinkedQueue<LocalCount> idle = new ConcurrentLinkedQueue<>();

    LocalCounts() {}

    /** Lends a part to somebody who works in one thread at a time. */
    public LocalCount lend() {
        LocalCount part = idle.poll();
        while (part == null) {
            LocalCount older = youngest.get();
            LocalCount made = new LocalCount(older);
            part = youngest.compareAndSet(older, made) ? made : null;
        }
        return part;
    }

    /** Takes a part back; its user adds nothing to it any more. */
    public void giveBack(LocalCount part) {
        idle.offer(part);
    }

    /** The sum so far; additions that run beside it may be in it or not. */
    long sum() {
        long sum = 0;
        for (LocalCount part = youngest.get(); part != null; part = part.older) {
            sum += part.valueOpaque();
        }
        return sum;
    }
}
