// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.bench.latch.LatchResults.Scenario;
import dev.holdfast.bench.report.PairedRatios;
import java.util.List;

/**
 * A ratio that a latch is to reach.
 *
 * @param ours whose ratio
 * @param against whom; null for the best of those it is compared with
 * @param load of the threads
 * @param threads how many
 * @param atLeast the ratio
 */
public record LatchGoal(
        Entrant ours, Entrant against, LatchLoad load, int threads, double atLeast) {
    private static final double NOT_SLOWER = 1.0;

    private static final double FASTER = 1.2;

    /** All goals, judged in short sections: there the latch is what takes the time. */
    public static List<LatchGoal> all() {
        return List.of(
                new LatchGoal(
                        Entrant.LATCH, Entrant.STAMPED_LOCK, LatchLoad.READ_ONLY, 1, NOT_SLOWER),
                new LatchGoal(
                        Entrant.LATCH, Entrant.STAMPED_LOCK, LatchLoad.WRITE_ONLY, 1, NOT_SLOWER),
                new LatchGoal(Entrant.LATCH, null, LatchLoad.WRITE_ONLY, 8, NOT_SLOWER),
                new LatchGoal(Entrant.LATCH, null, LatchLoad.WRITE_ONLY, 64, NOT_SLOWER),
                new LatchGoal(Entrant.LATCH_READ_MOSTLY, null, LatchLoad.READ_ONLY, 8, FASTER),
                new LatchGoal(
                        Entrant.LATCH_OPTIMISTIC,
                        Entrant.STAMPED_OPTIMISTIC,
                        LatchLoad.READ_ONLY,
                        1,
                        NOT_SLOWER));
    }

    public Scenario scenario() {
        return new Scenario(load, LatchSection.SHORT, threads);
    }

    /** The ratio that was measured. The scenario was run. */
    public PairedRatios measured(LatchResults results) {
        Entrant other = against == null ? results.best(scenario(), ours) : against;
        return results.ratio(scenario(), ours, other);
    }

    /** What the interval says: reached if all of it is above, missed if all is below. */
    public Verdict verdict(PairedRatios measured) {
        if (measured.low() >= atLeast) {
            return Verdict.REACHED;
        }
        return measured.high() < atLeast ? Verdict.MISSED : Verdict.OPEN;
    }

    /** What can be said of a goal. */
    public enum Verdict {
        REACHED,
        MISSED,
        /** The interval holds the goal. */
        OPEN
    }
}
