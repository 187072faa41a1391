// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.sync.StripedCounter;

/** The counters of one engine. Counting takes no latch and allocates nothing. */
@SuppressWarnings("EnumOrdinal") // an array by ordinal is the cheapest map there is
public final class Counters implements Tally {
    private final StripedCounter[] cells = new StripedCounter[Counter.values().length];

    private final LentCounts lent = new LentCounts(this);

    /** All zero. */
    public Counters() {
        for (int i = 0; i < cells.length; i++) {
            cells[i] = new StripedCounter();
        }
    }

    @Override
    public void increment(Counter counter) {
        cells[counter.ordinal()].increment();
    }

    @Override
    public void add(Counter counter, long amount) {
        cells[counter.ordinal()].add(amount);
    }

    /** Lends counts to somebody who works in one thread at a time. */
    public LocalCounts lend() {
        return lent.lend();
    }

    /** Takes them back; their user adds nothing to them any more. */
    public void giveBack(LocalCounts counts) {
        lent.giveBack(counts);
    }

    /** The sum so far; concurrent additions may or may not be in it. */
    public long sum(Counter counter) {
        return cells[counter.ordinal()].sum() + lent.sum(counter);
    }
}
