// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** If this failed, users would be told of a capacity that their device does not have. */
class CapacityAdviceTest {
    private static final Map<Integer, Double> READS = Map.of(1, 10_000.0, 4, 38_000.0, 8, 40_000.0);
    private static final Map<Integer, Double> WRITES = Map.of(1, 9_000.0, 8, 30_000.0);

    @Test
    void givenASlowFlush_whenAdvised_thenHalfOfItIsTheCapacity() {
        CapacityAdvice advice = CapacityAdvice.of(READS, WRITES, 15_900);

        assertThat(advice.pagesPerSecond()).isEqualTo(7_900);
        assertThat(advice.reasons())
                .anySatisfy(each -> assertThat(each).contains("38,000/s at depth 4"))
                .anySatisfy(each -> assertThat(each).contains("53 % of bare writes"));
    }

    @Test
    void givenSlowReads_whenAdvised_thenTheyAreTheLimit() {
        CapacityAdvice advice = CapacityAdvice.of(Map.of(1, 1_000.0), WRITES, 15_900);

        assertThat(advice.pagesPerSecond()).isEqualTo(500);
    }

    @Test
    void givenAVerySlowDevice_whenAdvised_thenTheOptionsLeastIsTheCapacity() {
        CapacityAdvice advice = CapacityAdvice.of(Map.of(1, 80.0), Map.of(1, 80.0), 20);

        assertThat(advice.pagesPerSecond()).isEqualTo(100);
    }
}
