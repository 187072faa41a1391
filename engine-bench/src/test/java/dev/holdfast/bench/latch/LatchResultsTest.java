// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.latch.LatchGoal.Verdict;
import dev.holdfast.bench.latch.LatchResults.Scenario;
import dev.holdfast.bench.report.PairedRatios;
import org.junit.jupiter.api.Test;

/** If this failed, a latch would be compared with the wrong one, or a goal judged wrongly. */
class LatchResultsTest {
    private static final Scenario READS = new Scenario(LatchLoad.READ_ONLY, LatchSection.SHORT, 8);

    private final LatchResults results = new LatchResults();

    @Test
    void givenTurns_whenTheBestIsSought_thenAHolderIsNotComparedWithAnOptimisticReader() {
        turns(Entrant.LATCH, 10, 12, 11);
        turns(Entrant.LATCH_OPTIMISTIC, 50, 60, 55);
        turns(Entrant.STAMPED_LOCK, 5, 100, 5);
        turns(Entrant.SYNCHRONIZED, 6, 6, 6);
        turns(Entrant.STAMPED_OPTIMISTIC, 50, 50, 50);

        assertThat(results.best(READS, Entrant.LATCH)).isEqualTo(Entrant.SYNCHRONIZED);
        assertThat(results.best(READS, Entrant.LATCH_OPTIMISTIC))
                .isEqualTo(Entrant.STAMPED_OPTIMISTIC);
        assertThat(results.ratio(READS, Entrant.LATCH, Entrant.STAMPED_LOCK).median()).isEqualTo(2);
        assertThat(results.perSecond(READS, Entrant.LATCH)).isEqualTo(11);
    }

    @Test
    void givenAnInterval_whenAGoalIsJudged_thenOnlyAWholeIntervalDecides() {
        LatchGoal goal = new LatchGoal(Entrant.LATCH, null, LatchLoad.READ_ONLY, 8, 1.2);

        assertThat(goal.verdict(new PairedRatios(15, 1.3, 1.2, 1.4, 0.96)))
                .isEqualTo(Verdict.REACHED);
        assertThat(goal.verdict(new PairedRatios(15, 1.3, 1.19, 1.4, 0.96)))
                .isEqualTo(Verdict.OPEN);
        assertThat(goal.verdict(new PairedRatios(15, 1.1, 1.0, 1.19, 0.96)))
                .isEqualTo(Verdict.MISSED);
    }

    @Test
    void givenLoads_whenTheEntrantsAreChosen_thenEachIsThereWhereItDiffers() {
        assertThat(Entrant.of(LatchLoad.READ_ONLY, LatchSection.SHORT))
                .containsExactly(Entrant.values());
        assertThat(Entrant.of(LatchLoad.WRITE_ONLY, LatchSection.MICRO))
                .containsExactly(
                        Entrant.LATCH,
                        Entrant.LATCH_READ_MOSTLY,
                        Entrant.READ_WRITE_LOCK,
                        Entrant.STAMPED_LOCK,
                        Entrant.REENTRANT_LOCK,
                        Entrant.SYNCHRONIZED);
    }

    @Test
    void givenAMillionLatches_whenMeasured_thenTheyTakeEightMegabytes() {
        assertThat(LatchMemory.measured(1_000_000)).isBetween(8_000_000L, 8_100_000L);
    }

    private void turns(Entrant entrant, double... perSecond) {
        for (double rate : perSecond) {
            results.add(READS, entrant, rate);
        }
    }
}
