// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.bench.workload.Alternation.Outcome;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** If this failed, a ratio would be of other turns than those taken side by side. */
class AlternationTest {
    private static final double OTHERS_MAX = 0.1;

    private final List<String> events = new ArrayList<>();
    private final List<Outcome> outcomes = new ArrayList<>();

    @Test
    void givenTwoSides_whenOrdered_thenTheyStandAbba() {
        assertThat(orders(6, 2))
                .containsExactly(
                        List.of(0, 1),
                        List.of(1, 0),
                        List.of(1, 0),
                        List.of(0, 1),
                        List.of(0, 1),
                        List.of(1, 0));
    }

    @Test
    void givenThreeSides_whenOrdered_thenSixRoundsHaveAllOrders() {
        assertThat(orders(6, 3))
                .containsExactlyInAnyOrder(
                        List.of(0, 1, 2),
                        List.of(0, 2, 1),
                        List.of(1, 0, 2),
                        List.of(1, 2, 0),
                        List.of(2, 0, 1),
                        List.of(2, 1, 0));
    }

    @Test
    void givenTwoLives_whenRun_thenEachTurnIsSettledBeforeTheNextAndWarmupDoesNotCount()
            throws Exception {
        List<Side> sides = List.of(new Side("a"), new Side("b"));

        Alternation.Result result = new Alternation(2, 1, 0, 3, OTHERS_MAX).run(sides, this::ran);

        String first = "begin a, begin b, turn a, settle a, turn b, settle b, ";
        String second = "turn b, settle b, turn a, settle a, end a, end b, ";
        assertThat(String.join(", ", events))
                .isEqualTo(
                        first
                                + second
                                + "begin b, begin a, turn a, settle a, turn b, settle b, "
                                + "turn b, settle b, turn a, settle a, end a, end b");
        assertThat(outcomes)
                .containsExactly(Outcome.WARMUP, Outcome.COUNTS, Outcome.COUNTS, Outcome.COUNTS);
        assertThat(result.rates())
                .containsExactly(
                        List.of(List.of(4.0), List.of(3.0)),
                        List.of(List.of(5.0, 8.0), List.of(6.0, 7.0)));
        assertThat(result.disturbedRounds()).isZero();
    }

    @Test
    void givenOthersAtWork_whenRun_thenTheRoundIsRunAgainAndNotForEver() throws Exception {
        Side quiet = new Side("a");
        Side disturbed = new Side("b");
        disturbed.others.addAll(List.of(0.0, 0.5, OTHERS_MAX, 0.2, 0.3, 0.4));

        Alternation.Result result =
                new Alternation(1, 0, 0, 3, OTHERS_MAX).run(List.of(quiet, disturbed), this::ran);

        assertThat(outcomes)
                .containsExactly(
                        Outcome.COUNTS,
                        Outcome.DISTURBED,
                        Outcome.COUNTS,
                        Outcome.DISTURBED,
                        Outcome.DISTURBED,
                        Outcome.COUNTS);
        assertThat(result.disturbedRounds()).isEqualTo(3);
        assertThat(result.rates().get(0)).allSatisfy(side -> assertThat(side).hasSize(3));
    }

    @Test
    void givenASideThatFails_whenRun_thenAllAreEndedAndItsFailureIsThrown() {
        Side good = new Side("a");
        Side failing = new Side("b");
        failing.fails = true;
        Alternation alternation = new Alternation(1, 0, 0, 1, OTHERS_MAX);

        assertThatThrownBy(() -> alternation.run(List.of(failing, good), this::ran))
                .isInstanceOf(IOException.class)
                .hasMessage("turn of b")
                .hasSuppressedException(new IllegalStateException("end of b"));

        assertThat(events).containsExactly("begin b", "begin a", "turn b", "end b", "end a");
    }

    @Test
    void givenRates_whenSummedUp_thenRoundsAndLivesAreBothJudged() {
        Alternation.Result result =
                new Alternation.Result(
                        List.of(
                                List.of(List.of(10.0, 10.0, 20.0), List.of(11.0, 11.0, 22.0)),
                                List.of(List.of(10.0, 100.0, 10.0), List.of(9.0, 110.0, 9.0))),
                        0);

        assertThat(result.median(0)).isEqualTo(10);
        assertThat(result.overFirst(1).pairs()).isEqualTo(6);
        assertThat(result.overFirst(1).median()).isCloseTo(1.1, within(1e-9));
        assertThat(result.overFirstByLife(1).pairs()).isEqualTo(2);
        assertThat(result.overFirstByLife(1).median()).isCloseTo(1.0, within(1e-9));
        assertThat(result.overFirstByLife(1).low()).isCloseTo(0.9, within(1e-9));
        assertThat(result.worstLoss(0)).isZero();
        assertThat(result.worstLoss(1)).isCloseTo(0.1, within(1e-9));
        assertThat(result.spread()).isCloseTo(110.0 / 9, within(1e-9));
    }

    /** What stays for a life must show, however many rounds agree on it. */
    @Test
    void givenALifeThatIsSlowerThroughout_whenSummedUp_thenItsLossIsNotExcluded() {
        List<Double> even = List.of(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
        List<Double> slow = even.stream().map(rate -> rate * 0.9).toList();
        List<List<List<Double>>> lives = new ArrayList<>();
        for (int life = 0; life < 6; life++) {
            lives.add(List.of(even, life == 3 ? slow : even));
        }

        Alternation.Result result = new Alternation.Result(lives, 0);

        assertThat(result.overFirst(1).low()).isEqualTo(1);
        assertThat(result.worstLoss(1)).isCloseTo(0.1, within(1e-9));
    }

    private void ran(int life, int round, List<LiveSide.Turn> turns, Outcome outcome) {
        outcomes.add(outcome);
    }

    private static List<List<Integer>> orders(int rounds, int sides) {
        return IntStream.range(0, rounds)
                .mapToObj(round -> Alternation.order(round, sides))
                .toList();
    }

    /** Its rates are the numbers of the turns, counted over all sides. */
    private final class Side implements LiveSide {
        private final String name;
        private final Deque<Double> others = new ArrayDeque<>();
        private boolean fails;

        Side(String name) {
            this.name = name;
        }

        @Override
        public void begin() {
            events.add("begin " + name);
        }

        @Override
        public Turn turn() throws IOException {
            events.add("turn " + name);
            if (fails) {
                throw new IOException("turn of " + name);
            }
            long number = events.stream().filter(event -> event.startsWith("turn")).count();
            return new Turn(number, others.isEmpty() ? 0 : others.remove());
        }

        @Override
        public void settle() {
            events.add("settle " + name);
        }

        @Override
        public void end() {
            events.add("end " + name);
            if (fails) {
                throw new IllegalStateException("end of " + name);
            }
        }
    }
}
