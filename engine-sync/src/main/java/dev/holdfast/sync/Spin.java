// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * How long to spin before a park.
 *
 * <p>On one processor not at all: the holder can't be running. On two, a few rounds: measured
 * there, a long spin takes the processor that the holder needs and makes a hand-off slower than a
 * park. On more, up to twice what spinning took lately at this site. Where it did not pay it is
 * tried in one wait of {@value #PROBE_EVERY} only, whatever the number of processors: the word does
 * not say who holds it, so whether holders run while others wait can only be learnt.
 */
final class Spin {
    static final int FEW_ROUNDS = 6;
    static final int MAX_ROUNDS = 64;
    static final int PROBE_EVERY = 16;

    private static final int LIMIT = limit(Runtime.getRuntime().availableProcessors());

    private Spin() {}

    static int limit(int processors) {
        if (processors <= 1) {
            return 0;
        }
        return processors <= 2 ? FEW_ROUNDS : MAX_ROUNDS;
    }

    /**
     * The rounds to try.
     *
     * @param average what {@link #averaged} gave last: the running average of rounds that
     *     succeeded, or, below zero, how many waits are not to spin
     */
    static int rounds(int average) {
        return average < 0 ? 0 : Math.min(LIMIT, 2 * average + FEW_ROUNDS);
    }

    /** The new average; a spin that ended in a park counts as one that took no round. */
    static int averaged(int average, int roundsUseful) {
        if (average < 0) {
            return average + 1;
        }
        if (average == 0 && roundsUseful == 0) {
            return 1 - PROBE_EVERY;
        }
        int step = (roundsUseful - average) / 4;
        return step != 0 ? average + step : average + Integer.signum(roundsUseful - average);
    }
}
