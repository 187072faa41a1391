// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

/** What one thread has done in a turn. Written by the thread at its end, read after its join. */
final class Tally {
    private final int seed;
    private long operations;
    private long writes;
    private long torn;

    Tally(int seed) {
        this.seed = seed;
    }

    /** Where the thread's random numbers begin; not zero. */
    int seed() {
        return seed;
    }

    void finished(long allOperations, long writesAmongThem, long tornReads) {
        operations = allOperations;
        writes = writesAmongThem;
        torn = tornReads;
    }

    long operations() {
        return operations;
    }

    long writes() {
        return writes;
    }

    long torn() {
        return torn;
    }
}
