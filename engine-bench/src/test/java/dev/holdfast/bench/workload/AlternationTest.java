// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, a ratio would be of other runs than those made side by side. */
class AlternationTest {
    private final List<String> turns = new ArrayList<>();

    @Test
    void givenThreeSides_whenAlternated_thenTheyRunInTurnAndTheFirstRoundDoesNotCount()
            throws Exception {
        List<String> told = new ArrayList<>();

        Alternation.Result result =
                new Alternation(1, 2)
                        .run(
                                List.of(side("a"), side("b"), side("c")),
                                (round, side, rate) -> told.add(round + "" + side));

        assertThat(turns).containsExactly("a", "b", "c", "a", "b", "c", "a", "b", "c");
        assertThat(told).containsExactly("00", "01", "02", "10", "11", "12");
        assertThat(result.rates())
                .containsExactly(List.of(4.0, 7.0), List.of(5.0, 8.0), List.of(6.0, 9.0));
    }

    @Test
    void givenRuns_whenSummedUp_thenTheRatioIsTheMedianOfThePairs() {
        Alternation.Result result =
                new Alternation.Result(
                        List.of(List.of(10.0, 100.0, 20.0), List.of(20.0, 150.0, 80.0)));

        assertThat(result.median(0)).isEqualTo(20);
        assertThat(result.median(1)).isEqualTo(80);
        assertThat(result.overFirst(1).median()).isEqualTo(2);
        assertThat(result.overFirst(0).median()).isEqualTo(1);
        assertThat(result.spread()).isEqualTo(10);
    }

    @Test
    void givenFiguresOfABuild_whenRead_thenTheRateIsThatOfThePhase() {
        String figures =
                """
                {
                  "load-seq@1.unitsPerSecond": 7.0,
                  "update-nosync@8.unitsPerSecond": 1.5E5
                }
                """;

        assertThat(BuildSide.rate(figures, "update-nosync@8")).isEqualTo(150_000);
        assertThatThrownBy(() -> BuildSide.rate(figures, "update-nosync@1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("phase=update-nosync@1");
    }

    @Test
    void givenNoJar_whenABuildIsNamed_thenItIsRefused(@TempDir Path directory) {
        Phase phase = Phases.parse("update-nosync");

        assertThatThrownBy(
                        () ->
                                new BuildSide(
                                        directory.resolve("absent.jar"),
                                        phase,
                                        List.of(),
                                        use -> 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("absent.jar");
    }

    private Alternation.Side side(String name) {
        return () -> {
            turns.add(name);
            return turns.size();
        };
    }
}
