// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A small array of counts of which each stripe of threads has a copy of its own.
 *
 * <p>What one event counts lies side by side, so that counting three things touches one cache line.
 */
final class StripedCells {
    /*
     * The number of stripes is fixed by the processors at the start: twice as many, so that two
     * threads that run at once rarely share one. Growing on a failed CAS, as LongAdder does, would
     * allocate in the middle of an acquire. The stripe is the thread's id, which costs two loads; a
     * random probe would cost a thread-local.
     *
     * An array begins at an address that is a multiple of 8, not of 64: seven longs must lie
     * between the last cell of a stripe and the first of the next, and before the first stripe, to
     * keep them on different lines wherever the array begins.
     */

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int LINE_LONGS = 8;
    private static final int STRIPES_MAX = 64;
    private static final int STRIPES = stripes(Runtime.getRuntime().availableProcessors());

    private final int stripes;
    private final int stripeLongs;
    private final long[] cells;

    /**
     * Cells that begin at zero.
     *
     * @param count of each stripe
     * @param stripesMax a power of two
     */
    StripedCells(int count, int stripesMax) {
        assert Integer.bitCount(stripesMax) == 1 : "stripesMax=" + stripesMax;

        stripes = Math.min(STRIPES, stripesMax);
        stripeLongs = (count + 2 * (LINE_LONGS - 1)) / LINE_LONGS * LINE_LONGS;
        cells = new long[LINE_LONGS + stripes * stripeLongs];
    }

    StripedCells(int count) {
        this(count, STRIPES_MAX);
    }

    /** Twice the processors, as a power of two, within a limit. */
    static int stripes(int processors) {
        int wanted = Math.min(STRIPES_MAX, 2 * processors);
        return Integer.highestOneBit(2 * wanted - 1);
    }

    /** Adds in the calling thread's stripe, and returns what the cell held there before. */
    long getAndAdd(int cell, long delta) {
        int stripe = (int) Thread.currentThread().getId() & (stripes - 1);
        // Volatile by default; the order against other memory does not matter to a count.
        return (long) CELL.getAndAdd(cells, LINE_LONGS + stripe * stripeLongs + cell, delta);
    }

    /** The total of all stripes: no snapshot, but nothing is lost or counted twice. */
    long sum(int cell) {
        long sum = 0;
        for (int stripe = 0; stripe < stripes; stripe++) {
            sum += (long) CELL.getVolatile(cells, LINE_LONGS + stripe * stripeLongs + cell);
        }
        return sum;
    }
}
