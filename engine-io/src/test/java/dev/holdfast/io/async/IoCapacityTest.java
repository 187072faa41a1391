// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.io.sim.TestClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The budget: were it wrong, background work would flood the device or starve. */
final class IoCapacityTest {
    private static final int PAGES_PER_SECOND = 1000;
    private static final int BURST = (int) (PAGES_PER_SECOND * IoCapacity.BURST_SECONDS);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long FAST = TimeUnit.MILLISECONDS.toNanos(1);

    private final TestClock clock = TestClock.stopped();
    private final IoCapacity capacity = new IoCapacity(PAGES_PER_SECOND, clock::nanos);

    @Test
    void givenALongPause_whenTaken_thenNoMoreThanABurstIsThere() {
        clock.advance(60 * SECOND);

        int taken = takeAll(IoUser.CLEANER);

        assertThat(taken).isEqualTo(BURST);
        assertThat(capacity.taken(IoUser.CLEANER)).isEqualTo(BURST);
    }

    @Test
    void givenSteadyUse_whenSecondsPass_thenSoManyPagesASecondAreGiven() {
        takeAll(IoUser.CLEANER);
        int taken = 0;

        for (int i = 0; i < 300; i++) {
            clock.advance(SECOND / 100);
            taken += takeAll(IoUser.CLEANER);
        }

        assertThat(taken).isCloseTo(3 * PAGES_PER_SECOND, within(2));
    }

    @Test
    void givenLowerClasses_whenTheyTakeAll_thenTheHigherOnesHaveTheirShareLeft() {
        int background = takeAll(IoUser.BACKGROUND);
        int readAhead = takeAll(IoUser.READ_AHEAD);
        int cleaner = takeAll(IoUser.CLEANER);

        assertThat(background).isEqualTo(BURST / 2);
        assertThat(readAhead).isBetween(BURST / 4 - 1, BURST / 4 + 1);
        assertThat(background + readAhead + cleaner).isEqualTo(BURST);
    }

    @Test
    void givenNothingLeft_whenAskedForTheWait_thenAfterItThePagesAreThere() {
        takeAll(IoUser.CLEANER);

        for (IoUser who : IoUser.values()) {
            long nanos = capacity.waitNanos(who, 10);
            clock.advance(nanos - 1);
            boolean tooEarly = capacity.tryTake(who, 10);
            clock.advance(1);

            assertThat(nanos).as(who.name()).isGreaterThanOrEqualTo(SECOND / 100);
            assertThat(tooEarly).as(who.name()).isFalse();
            assertThat(capacity.waitNanos(who, 10)).isZero();
            assertThat(capacity.tryTake(who, 10)).as(who.name()).isTrue();
            takeAll(IoUser.CLEANER);
        }
    }

    @Test
    void givenMoreThanABurst_whenTaken_thenItIsGivenOnceAndOwed() {
        boolean first = capacity.tryTake(IoUser.CLEANER, 2 * BURST);
        boolean second = capacity.tryTake(IoUser.CLEANER, 1);
        clock.advance(SECOND / 4);

        assertThat(first).isTrue();
        assertThat(second).isFalse();
        assertThat(capacity.waitNanos(IoUser.CLEANER, 1)).isEqualTo(SECOND / PAGES_PER_SECOND);
    }

    @Test
    void givenAnOverdraft_whenTimePasses_thenTheDebtIsBoundedAndPaidFirst() {
        for (int i = 0; i < 10; i++) {
            capacity.overdraw(IoUser.CLEANER, BURST);
        }

        clock.advance(SECOND / 4 + SECOND / 100);

        assertThat(takeAll(IoUser.CLEANER)).isEqualTo(10);
        assertThat(capacity.taken(IoUser.CLEANER)).isEqualTo(10 * BURST + 10);
    }

    @Test
    void givenADeviceThatSlowsDown_whenObserved_thenTheRateFallsAndComesBack() {
        observe(FAST, 2);

        observe(10 * FAST, 4);
        double slow = capacity.rate();
        observe(10 * FAST, 100);
        double slowest = capacity.rate();
        observe(FAST, 100);

        assertThat(slow).isCloseTo(PAGES_PER_SECOND * Math.pow(IoCapacity.CUT, 4), within(1.0));
        assertThat(slowest).isCloseTo(PAGES_PER_SECOND * IoCapacity.RATE_SHARE_MIN, within(1.0));
        assertThat(capacity.rate()).isEqualTo(PAGES_PER_SECOND);
        assertThat(capacity.toRow()).contains("ioCapacity=1000, rate=1000").contains("cuts=104");
    }

    @Test
    void givenADeviceThatStaysSlower_whenTheOldBaseIsForgotten_thenTheRateComesBack() {
        observe(FAST, 2);

        observe(10 * FAST, 3 * IoCapacity.BASE_WINDOWS);

        assertThat(capacity.rate()).isEqualTo(PAGES_PER_SECOND);
    }

    @Test
    void givenAFewSlowTransfers_whenObserved_thenNothingIsConcluded() {
        observe(FAST, 2);

        capacity.observed(1000 * FAST);
        clock.advance(IoCapacity.WINDOW_NANOS);
        capacity.observed(1000 * FAST);

        assertThat(capacity.rate()).isEqualTo(PAGES_PER_SECOND);
    }

    @Test
    void givenANewNumber_whenSet_thenItHoldsAtOnce() {
        takeAll(IoUser.CLEANER);

        capacity.pagesPerSecond(10 * PAGES_PER_SECOND);
        clock.advance(SECOND / 100);

        assertThat(takeAll(IoUser.CLEANER)).isEqualTo(100);
        assertThat(capacity.pagesPerSecond()).isEqualTo(10 * PAGES_PER_SECOND);
        assertThatThrownBy(() -> capacity.pagesPerSecond(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pages=0");
    }

    /** Windows full of transfers that take so long. */
    private void observe(long nanos, int windows) {
        for (int i = 0; i < windows; i++) {
            for (int j = 0; j < 20; j++) {
                capacity.observed(nanos);
            }
            clock.advance(IoCapacity.WINDOW_NANOS);
            capacity.observed(nanos);
        }
    }

    private int takeAll(IoUser who) {
        int taken = 0;
        while (capacity.tryTake(who, 1)) {
            taken++;
        }
        return taken;
    }
}
