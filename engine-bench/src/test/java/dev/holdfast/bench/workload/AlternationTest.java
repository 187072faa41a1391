// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** If this failed, a ratio would be of other runs than those made side by side. */
class AlternationTest {
    @Test
    void givenRuns_whenSummedUp_thenTheRatioIsTheMedianOfThePairs() {
        Alternation.Result result =
                new Alternation.Result(List.of(10.0, 100.0, 20.0), List.of(20.0, 150.0, 80.0));

        assertThat(result.medianOfA()).isEqualTo(20);
        assertThat(result.medianOfB()).isEqualTo(80);
        assertThat(result.medianRatio()).isEqualTo(2);
        assertThat(result.spread()).isEqualTo(10);
    }

    @Test
    void givenAnEvenNumberOfRuns_whenSummedUp_thenTheMedianLiesBetween() {
        Alternation.Result result = new Alternation.Result(List.of(1.0, 1.0), List.of(1.0, 2.0));

        assertThat(result.medianRatio()).isCloseTo(1.5, Offset.offset(1e-9));
    }
}
