// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import org.openjdk.jmh.infra.Blackhole;

/**
 * Two numbers whose sum is zero whenever no writer is at work: what a latch guards here.
 *
 * <p>The section's work lies between the two accesses, so that a latch that does not exclude shows
 * as a sum that is not zero, or, after all threads have ended, as a count of changes that does not
 * agree with theirs. Padded on both sides.
 */
public final class GuardedPair {
    private static final int UP = 16;
    private static final int DOWN = 17;

    private final long[] cells = new long[34];

    /** Returns the sum: zero, unless a change was under way. The latch is held, or validated. */
    long sum(long tokens) {
        long up = cells[UP];
        if (tokens > 0) {
            Blackhole.consumeCPU(tokens);
        }
        return up + cells[DOWN];
    }

    /** Changes both. The latch is held exclusively. */
    void change(long tokens) {
        cells[UP]++;
        if (tokens > 0) {
            Blackhole.consumeCPU(tokens);
        }
        cells[DOWN]--;
    }

    /** How often it was changed, if no change was lost; else a number that no count agrees with. */
    long changes() {
        return cells[UP] == -cells[DOWN] ? cells[UP] : -1;
    }
}
