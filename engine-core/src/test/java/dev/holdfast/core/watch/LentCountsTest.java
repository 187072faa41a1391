// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Parts of counters. If this failed, a count would be lost with its user, or memory grow. */
final class LentCountsTest {
    private final Counters counters = new Counters();

    @Test
    void givenPartsAndStripes_whenSummed_thenAllIsIn() {
        LocalCounts one = counters.lend();
        LocalCounts other = counters.lend();
        one.increment(Counter.PAGE_FIXES);
        other.add(Counter.PAGE_FIXES, 2);
        other.add(Counter.MTR_REDO_BYTES, 100);
        counters.increment(Counter.PAGE_FIXES);

        assertThat(counters.sum(Counter.PAGE_FIXES)).isEqualTo(4);
        assertThat(counters.sum(Counter.MTR_REDO_BYTES)).isEqualTo(100);
        assertThat(counters.sum(Counter.COMMITS)).isZero();
    }

    @Test
    void givenACounterThatIsNotKept_whenCountedThere_thenItIsInTheSumOnce() {
        LocalCounts one = counters.lend();

        one.increment(Counter.LEAF_SPLITS);

        assertThat(counters.sum(Counter.LEAF_SPLITS)).isEqualTo(1);
    }

    @Test
    void givenAPartGivenBack_whenLentAgain_thenItGoesOnFromWhatItHad() {
        LocalCounts one = counters.lend();
        one.increment(Counter.COMMITS);
        counters.giveBack(one);

        LocalCounts again = counters.lend();
        again.increment(Counter.COMMITS);

        assertThat(again).isSameAs(one);
        assertThat(counters.sum(Counter.COMMITS)).isEqualTo(2);
    }

    @Test
    void givenAPartThatIsLent_whenAnotherIsWanted_thenItIsAnother() {
        LocalCounts one = counters.lend();

        assertThat(counters.lend()).isNotSameAs(one);
    }
}
