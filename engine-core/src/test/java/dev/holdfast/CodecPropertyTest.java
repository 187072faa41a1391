// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.Arrays;
import java.util.Comparator;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If bytes did not sort as values do, ranges over typed keys would miss rows. */
@ExtendWith(SeedExtension.class)
class CodecPropertyTest {
    private static final int PAIRS = SeedExtension.everydayOrSoak(2_000, 2_000_000);

    @Test
    void givenInts_whenEncoded_thenOrderAndValueAreKept(SeededRandom random) {
        checkPairs(Codec.INT, Integer::compare, () -> (int) (random.nextLong() >> shift(random)));
    }

    @Test
    void givenLongs_whenEncoded_thenOrderAndValueAreKept(SeededRandom random) {
        checkPairs(Codec.LONG, Long::compare, () -> random.nextLong() >> shift(random));
    }

    @Test
    void givenStrings_whenEncoded_thenTheOrderIsOfCodePoints(SeededRandom random) {
        checkPairs(
                Codec.STRING,
                (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray()),
                () -> string(random));
    }

    @Test
    void givenUuids_whenEncoded_thenTheOrderIsOfTheirText(SeededRandom random) {
        checkPairs(
                Codec.UUID,
                Comparator.comparing(UUID::toString),
                () -> new UUID(random.nextLong() >> shift(random), random.nextLong()));
    }

    private static <T> void checkPairs(
            Codec<T> codec, Comparator<T> order, Supplier<? extends T> values) {
        for (int i = 0; i < PAIRS; i++) {
            T a = values.get();
            T b = values.get();

            int compared = Arrays.compareUnsigned(codec.encode(a), codec.encode(b));

            assertThat(Integer.signum(compared))
                    .as("a=%s, b=%s", a, b)
                    .isEqualTo(Integer.signum(order.compare(a, b)));
            assertThat(codec.decode(codec.encode(a))).isEqualTo(a);
        }
    }

    /** Small numbers of both signs must be as frequent as great ones. */
    private static int shift(SeededRandom random) {
        return random.nextInt(Long.SIZE);
    }

    private static String string(SeededRandom random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(4);
        for (int i = 0; i < length; i++) {
            int codePoint = random.nextInt(Character.MAX_CODE_POINT >> random.nextInt(16)) + 1;
            boolean isSurrogate =
                    codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
            text.appendCodePoint(isSurrogate ? 'x' : codePoint);
        }
        return text.toString();
    }
}
