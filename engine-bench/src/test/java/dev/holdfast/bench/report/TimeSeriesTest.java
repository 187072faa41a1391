// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** If this failed, a plot would show work in seconds where there was none. */
class TimeSeriesTest {
    private static final long START = 5_000_000_000L;

    private final TimeSeries series = new TimeSeries("rows", START);

    @Test
    void givenCountsInDifferentSeconds_whenAsked_thenEachSecondHasItsOwn() {
        series.add(START, 1);
        series.add(START + TimeUnit.MILLISECONDS.toNanos(999), 2);
        series.add(START + TimeUnit.SECONDS.toNanos(2), 4);

        assertThat(series.perSecond()).containsExactly(3, 0, 4);
    }

    @Test
    void givenASecondFarAway_whenCounted_thenTheSeriesGrowsToIt() {
        series.add(START + TimeUnit.SECONDS.toNanos(1_000), 1);

        assertThat(series.perSecond()).hasSize(1_001);
    }

    @Test
    void givenMoreThanADay_whenCounted_thenItGoesToTheLastSecond() {
        series.add(START + TimeUnit.DAYS.toNanos(3), 1);

        assertThat(series.perSecond()).hasSize((int) TimeUnit.DAYS.toSeconds(1));
    }
}
