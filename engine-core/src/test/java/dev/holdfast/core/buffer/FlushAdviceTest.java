// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.FlushAdvice.Situation;
import dev.holdfast.core.buffer.FlushAdvice.Urgency;
import org.junit.jupiter.api.Test;

/** If this failed, the cleaner would write in waves, or too late, and writers would stand still. */
final class FlushAdviceTest {
    private static final long LIMIT = 1_000_000;
    private static final long SECOND = 1_000_000_000L;
    private static final int DIRTY = 100_000;
    private static final double REDO = 50_000;
    private static final CleanerOptions OPTIONS = new CleanerOptions(LIMIT, 2_000, 8_000);

    @Test
    void givenAnAgeBelowTheLowWaterMark_whenAsked_thenNothingIsWritten() {
        for (long age = 0; age <= LIMIT / 10; age += LIMIT / 100) {
            assertThat(advice(age, DIRTY, REDO, SECOND))
                    .isEqualTo(new FlushAdvice(0, Urgency.CALM));
        }
    }

    @Test
    void givenAGrowingAge_whenAsked_thenTheAdviceNeverFalls() {
        int last = 0;
        for (long age = 0; age <= 2 * LIMIT; age += LIMIT / 1000) {
            int pages = advice(age, DIRTY, REDO, SECOND).pages();
            assertThat(pages).as("age %d", age).isGreaterThanOrEqualTo(last);
            last = pages;
        }
    }

    @Test
    void givenTheLimit_whenAsked_thenTheDeviceGivesAllItMay() {
        FlushAdvice atLimit = advice(LIMIT, DIRTY, REDO, SECOND);

        assertThat(atLimit).isEqualTo(new FlushAdvice(8_000, Urgency.URGENT));
    }

    @Test
    void givenAnAgeJustAboveTheMark_whenAsked_thenTheWritingSetsInGently() {
        FlushAdvice gentle = advice(LIMIT / 10 + LIMIT / 1000, DIRTY, 0, SECOND);

        assertThat(gentle.pages()).isBetween(1, 50);
        assertThat(gentle.urgency()).isEqualTo(Urgency.STEADY);
    }

    @Test
    void givenMoreRedo_whenAsked_thenTheAdviceKeepsUpWithIt() {
        int slow = advice(LIMIT / 5, 10_000, 1_000, SECOND).pages();
        int fast = advice(LIMIT / 5, 10_000, 100_000, SECOND).pages();

        assertThat(fast - slow).isBetween(900, 1_100);
    }

    @Test
    void givenFewDirtyPages_whenAsked_thenNoMoreThanThoseAreWritten() {
        assertThat(advice(LIMIT, 7, REDO, SECOND).pages()).isEqualTo(7);
    }

    @Test
    void givenAShortRound_whenAsked_thenItsShareIsWritten() {
        int whole = advice(LIMIT, DIRTY, REDO, SECOND).pages();

        int part = advice(LIMIT, DIRTY, REDO, SECOND / 40).pages();

        assertThat(part).isEqualTo(whole / 40);
    }

    private static FlushAdvice advice(long age, int dirty, double redo, long elapsed) {
        return FlushAdvice.of(new Situation(age, dirty, redo, elapsed), OPTIONS);
    }
}
