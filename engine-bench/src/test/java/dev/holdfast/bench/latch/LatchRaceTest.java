// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.sync.WaitTiming;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** If this failed, a latch that does not exclude could be the fastest. */
class LatchRaceTest {
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    @ParameterizedTest
    @EnumSource(Entrant.class)
    void givenAnyEntrant_whenItRunsAtEachLoad_thenItsReadsAndWritesAgree(Entrant entrant)
            throws Exception {
        for (LatchLoad load : LatchLoad.values()) {
            Contender contender = entrant.make();

            double rate =
                    LatchRace.run(
                            entrant.title(),
                            (turn, tally) -> contender.run(load, turn, tally),
                            contender.pair(),
                            10,
                            3,
                            NANOS);

            assertThat(rate).isPositive();
            assertThat(contender.title()).isEqualTo(entrant.title());
            assertThat(contender.pair().changes() > 0).isEqualTo(load != LatchLoad.READ_ONLY);
        }
    }

    @Test
    void givenALatchThatReadsTorn_whenItHasRun_thenTheRunEndsWithTheNumber() {
        GuardedPair pair = new GuardedPair();

        assertThatThrownBy(
                        () ->
                                LatchRace.run(
                                        "broken",
                                        (turn, tally) -> tally.finished(10, 0, 3),
                                        pair,
                                        0,
                                        2,
                                        NANOS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("latch=broken, tornReads=6");
    }

    @Test
    void givenALatchThatLosesAChange_whenItHasRun_thenTheRunEndsWithBothCounts() {
        GuardedPair pair = new GuardedPair();
        pair.change(0);

        assertThatThrownBy(
                        () ->
                                LatchRace.run(
                                        "broken",
                                        (turn, tally) -> tally.finished(1, 1, 0),
                                        pair,
                                        0,
                                        2,
                                        NANOS))
                .hasMessageContaining("writes=2, changes=1");
    }

    @Test
    void givenTimedAndUntimedLatches_whenRun_thenOnlyContendedAcquiresAreTold() throws Exception {
        TimedLatch latch = new TimedLatch(WaitTiming.FULL);

        LatchRace.run("one thread", latch::run, latch.pair(), 0, 1, NANOS);

        assertThat(latch.contendedAcquires()).isZero();
        assertThat(latch.pair().changes()).isPositive();
    }
}
