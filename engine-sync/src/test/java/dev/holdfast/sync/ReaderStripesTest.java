// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Units in stripes: if it fails, a reader is counted twice, not at all, or for another latch. */
final class ReaderStripesTest {
    private final ReaderStripes stripes = new ReaderStripes(1);

    @Test
    void givenAReaderThatEntered_whenItLeavesTwice_thenThereIsOneUnitToTake() {
        assertThat(stripes.enter()).isTrue();

        assertThat(stripes.leave()).isTrue();
        assertThat(stripes.leave()).isFalse();
        assertThat(stripes.unitsVolatile(0)).isZero();
    }

    @Test
    void givenAFullStripe_whenOneMoreEnters_thenItIsSentToTheWord() {
        for (int i = 0; i < ReaderStripes.UNITS_MAX; i++) {
            assertThat(stripes.enter()).isTrue();
        }

        assertThat(stripes.enter()).isFalse();

        assertThat(stripes.unitsVolatile(0)).isEqualTo(ReaderStripes.UNITS_MAX);
    }

    @Test
    void givenUnits_whenEmptiedByAnOldCount_thenNothingChanges() {
        stripes.enter();
        stripes.enter();

        assertThat(stripes.tryEmpty(0, 1)).isFalse();
        assertThat(stripes.unitsVolatile(0)).isEqualTo(2);
        assertThat(stripes.tryEmpty(0, 2)).isTrue();
        assertThat(stripes.unitsVolatile(0)).isZero();
    }

    @Test
    void givenReadersThatMeet_whenAWriterHasCome_thenTheyMustMeetFarMoreOften() {
        assertThat(meetingsUntilSpread()).isEqualTo(ReaderStripes.MEETINGS);

        stripes.gathered();

        assertThat(meetingsUntilSpread()).isEqualTo(ReaderStripes.MEETINGS_AFTER_WRITE);
    }

    private int meetingsUntilSpread() {
        int meetings = 1;
        while (!stripes.met()) {
            meetings++;
        }
        return meetings;
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "2, 8", "3, 16", "8, 32", "12, 64", "16, 64", "500, 64"})
    void givenProcessors_whenStripesAreCounted_thenTwoThatRunRarelyShareOne(
            int processors, int expected) {
        assertThat(ReaderStripes.stripes(processors)).isEqualTo(expected);
    }
}
