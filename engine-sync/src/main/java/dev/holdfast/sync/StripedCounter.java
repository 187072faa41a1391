// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * A counter that many threads add to without sharing a cache line, and few read.
 *
 * <p>An increment is one atomic add on the stripe of the calling thread. The sum is not a snapshot:
 * increments that run beside it may be in it or not, but none is lost or counted twice.
 */
public final class StripedCounter {
    private final StripedCells cells = new StripedCells(1);

    public void increment() {
        add(1);
    }

    public void add(long delta) {
        cells.getAndAdd(0, delta);
    }

    /** The total of all stripes. */
    public long sum() {
        return cells.sum(0);
    }
}
