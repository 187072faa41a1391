// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Were shrinking wrong, a failure would be reported by operations that do not fail. */
final class ShrinkerTest {
    private static final List<Integer> NUMBERS = IntStream.range(0, 100).boxed().toList();

    @Test
    void givenTwoNeededElements_whenShrunk_thenTheyAloneAreLeftInOrder() {
        List<Integer> shrunk =
                Shrinker.shrink(NUMBERS, list -> list.contains(17) && list.contains(83), 1000);

        assertThat(shrunk).containsExactly(17, 83);
    }

    @Test
    void givenSimplerElements_whenShrunk_thenEachIsAsSimpleAsItMayBe() {
        List<Integer> shrunk =
                Shrinker.shrink(
                        List.of(90, 1000, 70),
                        list -> list.stream().anyMatch(number -> number >= 50),
                        number -> number == 0 ? List.of() : List.of(number / 2, number - 1),
                        1000);

        assertThat(shrunk).containsExactly(50);
    }

    @Test
    void givenALimitOfTries_whenShrunk_thenItIsKeptAndTheResultFails() {
        AtomicInteger tries = new AtomicInteger();

        List<Integer> shrunk =
                Shrinker.shrink(
                        NUMBERS,
                        list -> {
                            tries.incrementAndGet();
                            return list.contains(17) && list.contains(83);
                        },
                        10);

        assertThat(tries.get()).isEqualTo(10);
        assertThat(shrunk).contains(17, 83);
        assertThat(shrunk.size()).isLessThan(NUMBERS.size());
    }

    @Test
    void givenNothingCanGo_whenShrunk_thenTheListIsAsItWas() {
        assertThat(Shrinker.shrink(NUMBERS, NUMBERS::equals, 1000)).isEqualTo(NUMBERS);
    }
}
