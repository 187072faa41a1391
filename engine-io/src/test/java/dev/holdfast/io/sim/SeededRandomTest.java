// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Were a seed not to give the same draws for ever, no failure could be replayed. */
final class SeededRandomTest {
    @Test
    void givenASeed_whenDrawn_thenTheNumbersAreThoseOfTheAlgorithm() {
        SeededRandom random = new SeededRandom(0);

        assertThat(random.nextLong()).isEqualTo(0xE220A8397B1DCDAFL);
        assertThat(random.nextLong()).isEqualTo(0x6E789E6AA1B965F4L);
    }

    @Test
    void givenADerivedGenerator_whenTheParentDraws_thenItsOwnDrawsStay() {
        SeededRandom parent = new SeededRandom(5);
        long before = parent.derive("keys").nextLong();
        parent.nextLong();

        assertThat(parent.derive("keys").nextLong()).isEqualTo(before);
        assertThat(parent.derive("values").nextLong()).isNotEqualTo(before);
        assertThat(parent.derive(1).nextLong()).isNotEqualTo(parent.derive(2).nextLong());
        assertThat(new SeededRandom(6).derive("keys").nextLong()).isNotEqualTo(before);
    }

    @Test
    void givenBounds_whenDrawn_thenAllValuesAndNoOthersCome() {
        SeededRandom random = new SeededRandom(1);
        Set<Integer> drawn = new HashSet<>();

        for (int i = 0; i < 1000; i++) {
            drawn.add(random.between(-2, 2));
        }

        assertThat(drawn).containsExactlyInAnyOrder(-2, -1, 0, 1, 2);
        assertThatThrownBy(() -> random.nextInt(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenProbabilities_whenDrawnOften_thenTheSharesAreNear() {
        SeededRandom random = new SeededRandom(1);
        int hits = 0;
        int heads = 0;

        for (int i = 0; i < 10_000; i++) {
            hits += random.chance(0.2) ? 1 : 0;
            heads += random.nextBoolean() ? 1 : 0;
        }

        assertThat(hits).isBetween(1800, 2200);
        assertThat(heads).isBetween(4800, 5200);
    }

    @Test
    void givenAList_whenShuffled_thenNothingIsLost() {
        SeededRandom random = new SeededRandom(1);
        List<Integer> ordered = IntStream.range(0, 50).boxed().toList();
        List<Integer> numbers = new ArrayList<>(ordered);

        random.shuffle(numbers);

        assertThat(numbers).isNotEqualTo(ordered).containsExactlyInAnyOrderElementsOf(ordered);
    }

    @Test
    void givenARange_whenFilled_thenAllOfItAndNothingElseIsDrawn() {
        byte[] bytes = new byte[30];
        Set<Integer> untouched = new HashSet<>(IntStream.range(3, 24).boxed().toList());

        for (int seed = 0; seed < 20; seed++) {
            new SeededRandom(seed).fill(bytes, 3, 24);
            untouched.removeIf(index -> bytes[index] != 0);
        }

        assertThat(untouched).isEmpty();
        assertThat(bytes).startsWith(0, 0, 0).endsWith(0, 0, 0, 0, 0, 0);
    }
}
