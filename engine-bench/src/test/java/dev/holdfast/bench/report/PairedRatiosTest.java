// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If this failed, an interval would promise more, or less, than the measurements do. */
class PairedRatiosTest {
    @Test
    void givenPairs_whenCompared_thenTheMedianIsThatOfTheirRatios() {
        PairedRatios ratios =
                PairedRatios.of(List.of(20.0, 150.0, 80.0), List.of(10.0, 100.0, 20.0));

        assertThat(ratios.median()).isEqualTo(2);
        assertThat(ratios.pairs()).isEqualTo(3);
    }

    /** The bounds are those of tables of the sign test: which ranks, and what they are worth. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 0.0",
        "5, 1, 5, 0.9375",
        "6, 1, 6, 0.96875",
        "9, 2, 8, 0.9609375",
        "15, 4, 12, 0.96484375",
        "16, 4, 13, 0.978729248",
        "17, 5, 13, 0.950958252",
        "20, 6, 15, 0.958610535"
    })
    void givenSoManyPairs_whenCompared_thenTheIntervalLiesBetweenTheRanksOfTheTable(
            int pairs, int lowRank, int highRank, double coverage) {
        List<Double> above = new ArrayList<>();
        for (int rank = 1; rank <= pairs; rank++) {
            above.add((double) rank);
        }
        Collections.reverse(above);

        PairedRatios ratios = PairedRatios.of(above, Collections.nCopies(pairs, 1.0));

        assertThat(ratios.low()).isEqualTo(lowRank);
        assertThat(ratios.high()).isEqualTo(highRank);
        assertThat(ratios.coverage()).isCloseTo(coverage, within(1e-9));
    }

    @Test
    void givenManyRunsOfNoise_whenCompared_thenTheIntervalHoldsTheTruthAsOftenAsItSays() {
        SplittableRandom random = new SplittableRandom(7);
        int runs = 4_000;
        int held = 0;

        for (int run = 0; run < runs; run++) {
            List<Double> above = new ArrayList<>();
            for (int pair = 0; pair < 15; pair++) {
                above.add(Math.exp(Math.pow(random.nextDouble() - 0.5, 3)));
            }
            PairedRatios ratios = PairedRatios.of(above, Collections.nCopies(15, 1.0));
            held += ratios.low() <= 1 && 1 <= ratios.high() ? 1 : 0;
        }

        assertThat((double) held / runs).isCloseTo(0.9648, within(0.012));
    }

    @Test
    void givenALossOrAGain_whenAskedForTheWorstLoss_thenItIsWhatTheIntervalDoesNotExclude() {
        PairedRatios loss = new PairedRatios(15, 0.97, 0.94, 1.01, 0.96);
        PairedRatios gain = new PairedRatios(15, 1.2, 1.1, 1.3, 0.96);

        assertThat(loss.worstLoss()).isCloseTo(0.06, within(1e-9));
        assertThat(gain.worstLoss()).isZero();
    }

    @Test
    void givenNoPairsOrNoRatio_whenCompared_thenTheyAreRefused() {
        List<Double> one = List.of(1.0);
        List<Double> none = List.of();
        List<Double> zero = List.of(0.0);

        assertThatThrownBy(() -> PairedRatios.of(none, none)).hasMessageContaining("above=0");
        assertThatThrownBy(() -> PairedRatios.of(one, none)).hasMessageContaining("below=0");
        assertThatThrownBy(() -> PairedRatios.of(one, zero)).hasMessageContaining("below=0.0");
    }
}
