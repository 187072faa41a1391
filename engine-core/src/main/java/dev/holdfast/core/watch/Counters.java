// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.sync.StripedCounter;

/** The counters of one engine. Counting takes no latch and allocates nothing. */
@SuppressWarnings("EnumOrdinal") // an array by ordinal is the cheapest map there is
public final class Counters {
    private final StripedCounter[] cells = new StripedCounter[Counter.values().length];

    /** The part of {@link Counter#PAGE_FIXES} that readers without a latch count. */
    private final LocalCounts pageFixes = new LocalCounts();

    /** All zero. */
    public Counters() {
        for (int i = 0; i < cells.length; i++) {
            cells[i] = new StripedCounter();
        }
    }

    public void increment(Counter counter) {
        cells[counter.ordinal()].increment();
    }

    public void add(Counter counter, long amount) {
        cells[counter.ordinal()].add(amount);
    }

    /** Where parts of {@link Counter#PAGE_FIXES} are lent. */
    public LocalCounts pageFixes() {
        return pageFixes;
    }

    /** The sum so far; concurrent additions may or may not be in it. */
    public long sum(Counter counter) {
        long sum = cells[counter.ordinal()].sum();
        return counter == Counter.PAGE_FIXES ? sum + pageFixes.sum() : sum;
    }
}
