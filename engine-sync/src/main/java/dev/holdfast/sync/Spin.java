// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * How long to spin before a park.
 *
 * <p>On one processor not at all: the holder can't be running. On two, a few rounds: measured
 * there, a long spin takes the processor that the holder needs and makes a hand-off slower than a
 * park. On more, up to twice what spinning took lately at this site, so that sites where it never
 * succeeds soon stop trying.
 */
final class Spin {
    static final int FEW_ROUNDS = 6;
    static final int MAX_ROUNDS = 64;

    private static final int LIMIT = limit(Runtime.getRuntime().availableProcessors());

    private Spin() {}

    static int limit(int processors) {
        if (processors <= 1) {
            return 0;
        }
        return processors <= 2 ? FEW_ROUNDS : MAX_ROUNDS;
    }

    /** The rounds to try, given the running average of rounds that succeeded. */
    static int rounds(int average) {
        return Math.min(LIMIT, 2 * average + FEW_ROUNDS);
    }

    /** The new average; a spin that ended in a park counts as one that took no round. */
    static int averaged(int average, int roundsUseful) {
        int step = (roundsUseful - average) / 4;
        return step != 0 ? average + step : average + Integer.signum(roundsUseful - average);
    }
}
