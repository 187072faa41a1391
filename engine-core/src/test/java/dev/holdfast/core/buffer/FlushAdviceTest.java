// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.core.buffer.FlushAdvice.Situation;
import dev.holdfast.core.buffer.FlushAdvice.Urgency;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If this failed, the cleaner would write in waves, or too late, and writers would stand still. */
final class FlushAdviceTest {
    private static final long LIMIT = 1_000_000;
    private static final int DIRTY = 10_000;
    private static final double REDO = 100_000;
    private static final CleanerOptions OPTIONS = new CleanerOptions(LIMIT, 2_000, 8_000);

    @Test
    void givenAnAgeBelowTheLowWaterMark_whenAsked_thenNothingIsWritten() {
        for (long age = 0; age <= 3 * LIMIT / 10; age += LIMIT / 100) {
            assertThat(advice(age, DIRTY, REDO)).isEqualTo(new FlushAdvice(0, Urgency.CALM));
        }
    }

    @Test
    void givenAGrowingAge_whenAsked_thenTheAdviceNeverFalls() {
        double last = 0;
        Urgency urgency = Urgency.CALM;
        for (long age = 0; age <= 2 * LIMIT; age += LIMIT / 1000) {
            FlushAdvice advice = advice(age, DIRTY, REDO);
            assertThat(advice.pagesPerSecond()).as("age %d", age).isGreaterThanOrEqualTo(last);
            assertThat(advice.urgency()).as("age %d", age).isGreaterThanOrEqualTo(urgency);
            last = advice.pagesPerSecond();
            urgency = advice.urgency();
        }
    }

    @Test
    void givenMoreRedoOrMoreDirtyPages_whenAsked_thenTheAdviceNeverFalls() {
        for (long age = 0; age <= LIMIT; age += LIMIT / 50) {
            double last = 0;
            for (double redo = 20_000; redo < 1e9; redo *= 1.5) {
                double pages = advice(age, DIRTY, redo).pagesPerSecond();
                assertThat(pages).isGreaterThanOrEqualTo(last);
                last = pages;
            }
            last = 0;
            for (int dirty = 0; dirty < 1_000_000; dirty = 2 * dirty + 1) {
                double pages = advice(age, dirty, REDO).pagesPerSecond();
                assertThat(pages).isGreaterThanOrEqualTo(last);
                last = pages;
            }
        }
    }

    @Test
    void givenAnAgeNearTheLimit_whenAsked_thenTheDeviceGivesAllItMay() {
        assertThat(advice(8 * LIMIT / 10, DIRTY, REDO))
                .isEqualTo(new FlushAdvice(8_000, Urgency.URGENT));
        assertThat(advice(8 * LIMIT / 10 - 1, DIRTY, REDO).urgency()).isEqualTo(Urgency.STEADY);
    }

    @Test
    void givenAnAgeJustAboveTheMark_whenAsked_thenTheWritingSetsInGently() {
        FlushAdvice gentle = advice(3 * LIMIT / 10 + LIMIT / 100, DIRTY, REDO);

        assertThat(gentle.pagesPerSecond()).isPositive().isLessThan(10);
        assertThat(gentle.urgency()).isEqualTo(Urgency.STEADY);
    }

    @Test
    void givenTheAgeAimedAt_whenAsked_thenTheAdviceKeepsThatAge() {
        double pages = advice(68 * LIMIT / 100, DIRTY, REDO).pagesPerSecond();

        // So much of the age do that many of the oldest pages stand for.
        assertThat(pages / DIRTY * 0.68 * LIMIT).isCloseTo(REDO, within(1.0));
    }

    @Test
    void givenMoreWantedThanTheCapacity_whenBelowTheAim_thenTheCapacityIsTheBound() {
        assertThat(advice(LIMIT / 2, DIRTY, 1e9).pagesPerSecond()).isEqualTo(2_000);
        assertThat(advice(74 * LIMIT / 100, DIRTY, 1e9).pagesPerSecond())
                .isCloseTo(5_000, within(1.0));
    }

    @Test
    void givenHardlyAnyRedo_whenAsked_thenAPartOfTheCapacityCleansWhatIsLeft() {
        assertThat(advice(LIMIT / 10, DIRTY, 0)).isEqualTo(new FlushAdvice(200, Urgency.CALM));
        assertThat(advice(LIMIT / 2, DIRTY, 0)).isEqualTo(new FlushAdvice(200, Urgency.STEADY));
    }

    /** The load is stepped up from nothing; the device has a moment every second. */
    @ParameterizedTest
    @CsvSource({
        // dirty pages, redo MB/s, capacity, device
        "9000, 30, 20000, 20000",
        "9000, 30, 2000, 12000",
        "500, 40, 2000, 12000",
        "30000, 10, 2000, 12000",
        "2000, 2, 2000, 12000",
        "20, 50, 200, 3000"
    })
    void givenASteadyLoad_whenTheAdviceIsFollowed_thenTheAgeStaysBelowThreeQuartersOfTheLog(
            int dirty, int redoMegabytes, int capacity, int device) {
        long capacityBytes = 64 << 20;
        CleanerOptions options = CleanerOptions.of(capacityBytes / 20 * 19, capacity);
        double redo = redoMegabytes * 1e6;
        double average = 0;
        double age = 0;
        double lowest = 1;
        double highest = 0;
        double round = 0.03;

        for (int i = 0; i < 3_000; i++) {
            average += (redo - average) * round / 0.5;
            FlushAdvice advice = FlushAdvice.of(new Situation((long) age, dirty, average), options);
            boolean urgent = advice.urgency() == Urgency.URGENT;
            double pages = Math.min(device, urgent ? device : advice.pagesPerSecond()) * round;
            age = Math.max(0, age + redo * round - pages / dirty * age);
            highest = Math.max(highest, age / capacityBytes);
            lowest = i < 2_000 ? lowest : Math.min(lowest, age / capacityBytes);
        }

        assertThat(highest).isLessThan(0.80);
        assertThat(lowest).isGreaterThan(0.60);
        assertThat(age / capacityBytes).isBetween(0.60, 0.77);
    }

    private static FlushAdvice advice(long age, int dirty, double redo) {
        return FlushAdvice.of(new Situation(age, dirty, redo), OPTIONS);
    }
}
