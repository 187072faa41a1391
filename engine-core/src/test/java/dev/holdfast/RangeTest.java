// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** If a range were wrong, scans would miss rows or deleteRange would remove others' rows. */
class RangeTest {
    private static final List<byte[]> KEYS =
            List.of(
                    key(),
                    key(0),
                    key(0, 0),
                    key(1),
                    key(1, 0),
                    key(1, 1),
                    key(1, 0xFF),
                    key(1, 0xFF, 0),
                    key(2),
                    key(0x7F),
                    key(0x80),
                    key(0xFF),
                    key(0xFF, 0xFF),
                    key(0xFF, 0xFF, 0));

    @Test
    void givenAllPairsOfBounds_whenKeysAreAsked_thenEachKindIncludesWhatItsNameSays() {
        for (int lower = 0; lower < KEYS.size(); lower++) {
            for (int upper = lower; upper < KEYS.size(); upper++) {
                Range closed = Range.closed(KEYS.get(lower), KEYS.get(upper));
                Range closedOpen = Range.closedOpen(KEYS.get(lower), KEYS.get(upper));
                Range open = Range.open(KEYS.get(lower), KEYS.get(upper));

                for (int i = 0; i < KEYS.size(); i++) {
                    byte[] key = KEYS.get(i);
                    assertThat(closed.contains(key)).isEqualTo(lower <= i && i <= upper);
                    assertThat(closedOpen.contains(key)).isEqualTo(lower <= i && i < upper);
                    assertThat(open.contains(key)).isEqualTo(lower < i && i < upper);
                }
            }
        }
    }

    @Test
    void givenOneBound_whenKeysAreAsked_thenTheOtherSideIsWithoutEnd() {
        for (int bound = 0; bound < KEYS.size(); bound++) {
            byte[] boundKey = KEYS.get(bound);

            for (int i = 0; i < KEYS.size(); i++) {
                byte[] key = KEYS.get(i);
                assertThat(Range.atLeast(boundKey).contains(key)).isEqualTo(i >= bound);
                assertThat(Range.greaterThan(boundKey).contains(key)).isEqualTo(i > bound);
                assertThat(Range.atMost(boundKey).contains(key)).isEqualTo(i <= bound);
                assertThat(Range.lessThan(boundKey).contains(key)).isEqualTo(i < bound);
                assertThat(Range.all().contains(key)).isTrue();
            }
        }
    }

    @Test
    void givenAPrefix_whenKeysAreAsked_thenThoseThatBeginWithItAreIn() {
        for (byte[] prefix : KEYS) {
            Range range = Range.prefix(prefix);

            for (byte[] key : KEYS) {
                assertThat(range.contains(key)).isEqualTo(beginsWith(key, prefix));
            }
        }
    }

    @Test
    void givenAPrefixThatEndsInTheHighestByte_whenAsked_thenTheEndIsTheNextShorterPrefix() {
        assertThat(Range.prefix(key(1, 0xFF)).to()).isEqualTo(key(2));
        assertThat(Range.prefix(key(0x7F)).to()).isEqualTo(key(0x80));
        assertThat(Range.prefix(key(0xFF, 0xFF)).to()).isNull();
        assertThat(Range.prefix(key()).to()).isNull();
    }

    @Test
    void givenBoundsTheWrongWayRound_whenMade_thenTheyAreRefused() {
        assertThatThrownBy(() -> Range.closed(key(2), key(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lower=0x02, upper=0x01");
        assertThatThrownBy(() -> Range.closedOpen(key(0x80), key(0x7F)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Range.open(key(1), key()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenEqualBounds_whenAskedForEmptiness_thenOnlyTheClosedRangeHasRoom() {
        assertThat(Range.closed(key(1), key(1)).isEmpty()).isFalse();
        assertThat(Range.closedOpen(key(1), key(1)).isEmpty()).isTrue();
        assertThat(Range.open(key(1), key(1)).isEmpty()).isTrue();
        assertThat(Range.lessThan(key()).isEmpty()).isTrue();
        assertThat(Range.all().isEmpty()).isFalse();
    }

    @Test
    void givenARange_whenReversedTwice_thenItIsTheSameAgain() {
        Range range = Range.closedOpen(key(1), key(2));

        Range reversed = range.reversed();

        assertThat(reversed.isReversed()).isTrue();
        assertThat(reversed.contains(key(1))).isTrue();
        assertThat(reversed).isNotEqualTo(range);
        assertThat(reversed.reversed()).isEqualTo(range).hasSameHashCodeAs(range);
    }

    @Test
    void givenTheCallersArrays_whenTheyChangeLater_thenTheRangeDoesNot() {
        byte[] lower = key(1);
        byte[] upper = key(2);
        Range range = Range.closedOpen(lower, upper);

        lower[0] = 9;
        upper[0] = 9;
        range.from()[0] = 9;
        range.to()[0] = 9;

        assertThat(range).isEqualTo(Range.closedOpen(key(1), key(2)));
    }

    @Test
    void givenALongKey_whenShown_thenItIsCutAndItsLengthIsTold() {
        String shown = Range.atLeast(new byte[100]).toString();

        assertThat(shown).contains("keyBytes=100").contains("to=end").hasSizeLessThan(150);
    }

    private static boolean beginsWith(byte[] key, byte[] prefix) {
        if (key.length < prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if (key[i] != prefix[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] key(int... bytes) {
        byte[] key = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            key[i] = (byte) bytes[i];
        }
        return key;
    }
}
