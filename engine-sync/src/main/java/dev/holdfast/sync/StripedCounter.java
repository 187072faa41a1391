// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A counter that many threads add to without sharing a cache line, and few read.
 *
 * <p>An increment is one atomic add on the stripe of the calling thread. The sum is not a snapshot:
 * increments that run beside it may be in it or not, but none is lost or counted twice.
 */
public final class StripedCounter {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** One cell per cache line; the first line keeps the array's own header away from cell 0. */
    private static final int LINE_LONGS = 8;

    private static final int STRIPES_MAX = 64;
    private static final int STRIPES = stripes(Runtime.getRuntime().availableProcessors());

    private final long[] cells = new long[(STRIPES + 1) * LINE_LONGS];

    /** Twice the processors, as a power of two, within a limit. */
    static int stripes(int processors) {
        int wanted = Math.min(STRIPES_MAX, 2 * processors);
        return Integer.highestOneBit(2 * wanted - 1);
    }

    public void increment() {
        add(1);
    }

    public void add(long delta) {
        addToCell(delta);
    }

    /** Adds, and returns what the stripe held before: a cheap source of "every n-th time". */
    long addToCell(long delta) {
        // Volatile by default; the order against other memory does not matter to a counter.
        return (long) CELL.getAndAdd(cells, cellIndex(), delta);
    }

    /** The total of all stripes. */
    public long sum() {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += (long) CELL.getVolatile(cells, (stripe + 1) * LINE_LONGS);
        }
        return sum;
    }

    private static int cellIndex() {
        // Thread ids are dense, so neighbours in age fall on different stripes.
        int stripe = (int) Thread.currentThread().getId() & (STRIPES - 1);
        return (stripe + 1) * LINE_LONGS;
    }
}
