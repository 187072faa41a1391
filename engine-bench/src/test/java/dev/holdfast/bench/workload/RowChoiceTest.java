// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** If this failed, keys would not sort as rows do, or the skew would be another. */
class RowChoiceTest {
    private static final long ROWS = 10_000;

    @Test
    void givenRows_whenTheirKeysAreCompared_thenTheySortAsTheRowsDo() {
        byte[] lower = new byte[RowKeys.KEY_BYTES];
        byte[] upper = new byte[RowKeys.KEY_BYTES];

        for (long row = 0; row < 1_000; row++) {
            RowKeys.fill(lower, row);
            RowKeys.fill(upper, row + 1);

            assertThat(Arrays.compareUnsigned(lower, upper)).isNegative();
            assertThat(RowKeys.row(lower)).isEqualTo(row);
        }
    }

    @Test
    void givenTheSkew_whenDrawnOften_thenTheFirstRankHasItsShare() {
        ZipfRows zipf = new ZipfRows(ROWS);
        SplittableRandom random = new SplittableRandom(1);
        int draws = 100_000;
        int first = 0;

        for (int i = 0; i < draws; i++) {
            first += zipf.rank(random.nextDouble()) == 0 ? 1 : 0;
        }

        // One over the sum of 1 / rank^0.99 for ten thousand ranks is 0.0975.
        assertThat(first / (double) draws).isBetween(0.09, 0.105);
    }

    @Test
    void givenTheSkew_whenRanksAreAskedFor_thenTheyGrowWithTheNumberUpToTheLast() {
        ZipfRows zipf = new ZipfRows(ROWS);
        long before = 0;

        for (int i = 0; i < 1_000; i++) {
            long rank = zipf.rank(i / 1_000.0);

            assertThat(rank).isBetween(before, ROWS - 1);
            before = rank;
        }
        assertThat(zipf.rank(Math.nextDown(1.0))).isEqualTo(ROWS - 1);
    }
}
