// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is counted and timed decides what an operator can see. */
final class SiteCountersTest {
    private static final int WAITS = 2 * SiteCounters.SAMPLE_EVERY;

    @ParameterizedTest
    @CsvSource({"OFF,0", "SAMPLED,2", "FULL," + WAITS})
    void givenATiming_whenThreadsWait_thenAllAreCountedAndThatManyTimed(
            WaitTiming timing, int timed) {
        SiteCounters counters = new SiteCounters();
        counters.timing(timing);

        for (int i = 0; i < WAITS; i++) {
            counters.waitEnded(counters.waitBegan());
        }

        assertThat(counters.contendedAcquires()).isEqualTo(WAITS);
        assertThat(counters.timedWaits()).isEqualTo(timed);
        assertThat(counters.waits().count()).isEqualTo(timed);
        assertThat(counters.timedWaitNanos()).isBetween(0L, Long.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"1,0", "2,6", "4,64", "128,64"})
    void givenProcessors_whenSpinning_thenTheLimitFitsThem(int processors, int limit) {
        assertThat(Spin.limit(processors)).isEqualTo(limit);
    }

    @ParameterizedTest
    @CsvSource({
        "0,0,-15",
        "-15,0,-14",
        "-1,0,0",
        "0,1,1",
        "0,40,10",
        "40,0,30",
        "3,0,2",
        "1,0,0",
        "10,10,10"
    })
    void givenAnAverage_whenASpinEnds_thenItMovesTowardsWhatTheSpinTook(
            int average, int rounds, int expected) {
        assertThat(Spin.averaged(average, rounds)).isEqualTo(expected);
    }
}
