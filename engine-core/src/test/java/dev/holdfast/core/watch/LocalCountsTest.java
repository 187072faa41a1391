// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Parts of a counter. If this failed, a count would be lost with its user, or memory grow. */
final class LocalCountsTest {
    private final Counters counters = new Counters();
    private final LocalCounts parts = counters.pageFixes();

    @Test
    void givenPartsAndStripes_whenSummed_thenAllIsIn() {
        LocalCount one = parts.lend();
        LocalCount other = parts.lend();
        one.increment();
        other.increment();
        other.increment();
        counters.increment(Counter.PAGE_FIXES);

        assertThat(counters.sum(Counter.PAGE_FIXES)).isEqualTo(4);
        assertThat(counters.sum(Counter.PAGE_FIXES_MISSED)).isZero();
    }

    @Test
    void givenAPartGivenBack_whenLentAgain_thenItGoesOnFromWhatItHad() {
        LocalCount one = parts.lend();
        one.increment();
        parts.giveBack(one);

        LocalCount again = parts.lend();
        again.increment();

        assertThat(again).isSameAs(one);
        assertThat(counters.sum(Counter.PAGE_FIXES)).isEqualTo(2);
    }

    @Test
    void givenAPartThatIsLent_whenAnotherIsWanted_thenItIsAnother() {
        LocalCount one = parts.lend();

        assertThat(parts.lend()).isNotSameAs(one);
    }
}
