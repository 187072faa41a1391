// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

/**
 * A latch together with the data that it guards, as one of those that are compared.
 *
 * <p>Each implementation repeats the same three loops on purpose: compiled from bytecode of its
 * own, with calls that have one target each, none is slowed by what another has done before.
 */
public interface Contender {
    /** Operations between two looks at the clock's flag. */
    int BATCH = 8;

    /** The name in tables. */
    String title();

    /** What the latch guards; to be looked at when all threads have ended. */
    GuardedPair pair();

    /** Reads in a loop until the turn is over. */
    void runReads(Turn turn, Tally tally);

    /** Writes in a loop until the turn is over. */
    void runWrites(Turn turn, Tally tally);

    /** Reads and, one time in twenty, writes until the turn is over. */
    void runMixed(Turn turn, Tally tally);

    /** Runs what the load says. */
    default void run(LatchLoad load, Turn turn, Tally tally) {
        switch (load) {
            case READ_ONLY -> runReads(turn, tally);
            case MIXED -> runMixed(turn, tally);
            case WRITE_ONLY -> runWrites(turn, tally);
        }
    }
}
