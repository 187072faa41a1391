// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DiskFullException;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * If this failed, a transaction would sleep beside a place that is free, or keep a processor busy
 * with asking for one.
 */
final class PlaceWaitTest {
    private static final long LONG = Duration.ofMinutes(5).toNanos();

    private final EngineHealth health = new EngineHealth();
    private final PlaceWait wait = new PlaceWait("seat", "s", health);
    private final AtomicInteger free = new AtomicInteger();
    private final AtomicInteger attempts = new AtomicInteger();

    @Test
    void givenASleeper_whenAPlaceIsGivenBack_thenItGetsItWithOneMoreAttemptAndOneWait()
            throws Exception {
        long before = CoreSites.ADMISSION.counters().contendedAcquires();
        TestThread<Integer> sleeper = start(LONG);
        sleeper.awaitParked();

        giveBack(1);

        assertThat(sleeper.result()).isEqualTo(1);
        assertThat(attempts.get()).as("at first, before the sleep, after it").isEqualTo(3);
        assertThat(CoreSites.ADMISSION.counters().contendedAcquires()).isEqualTo(before + 1);
        assertThat(wait.waiting()).isZero();
    }

    @Test
    void givenSleepers_whenSeveralPlacesComeAtOnce_thenEachThatCanBeServedIs() throws Exception {
        List<TestThread<Integer>> sleepers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            sleepers.add(start(LONG));
            sleepers.get(i).awaitParked();
        }

        giveBack(4);

        int served = 0;
        while (served < 4) {
            served = (int) sleepers.stream().filter(TestThread::isDone).count();
            Thread.onSpinWait();
        }
        assertThat(wait.waiting()).isEqualTo(1);
        giveBack(1);
        for (TestThread<Integer> sleeper : sleepers) {
            assertThat(sleeper.result()).isEqualTo(1);
        }
    }

    @Test
    void givenAPlaceThatComesDuringTheAttempt_whenTheAttemptMissesIt_thenItIsMadeAgain()
            throws Exception {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        TestThread<Integer> racer =
                TestThread.start(
                        () ->
                                wait.get(
                                        () -> {
                                            Integer got = tryTake();
                                            boolean counted = wait.waiting() > 0;
                                            if (counted && isFirst.getAndSet(false)) {
                                                giveBack(1); // too late for this attempt
                                            }
                                            return got;
                                        },
                                        System.nanoTime(),
                                        LONG));

        assertThat(racer.result()).isEqualTo(1);
    }

    @Test
    void givenASleeper_whenItsTimeIsOver_thenItIsToldAndTheNextIsServed() throws Exception {
        assertThatThrownBy(() -> wait.get(this::tryTake, System.nanoTime(), 1_000_000))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("seat");

        free.set(1);
        assertThat(wait.get(this::tryTake, System.nanoTime(), 0)).isEqualTo(1);
    }

    @Test
    void givenASleeper_whenAnAttemptOfAnotherFails_thenItTriesAgain() throws Exception {
        TestThread<Integer> sleeper = start(LONG);
        sleeper.awaitParked();

        assertThatThrownBy(() -> wait.get(this::takeForAMomentAndFail, System.nanoTime(), LONG))
                .isInstanceOf(DiskFullException.class);

        assertThat(sleeper.result()).isEqualTo(1);
    }

    private Integer takeForAMomentAndFail() {
        free.set(1);
        throw new DiskFullException("f", 1, null);
    }

    @Test
    void givenASleeper_whenTheEngineClosesOrFails_thenItIsTold() {
        TestThread<Integer> sleeper = start(LONG);
        sleeper.awaitParked();
        wait.close();
        assertThatThrownBy(sleeper::result).isInstanceOf(EngineClosedException.class);

        PlaceWait other = new PlaceWait("seat", "s", health);
        TestThread<Integer> second =
                TestThread.start(() -> other.get(this::tryTake, System.nanoTime(), LONG));
        second.awaitParked();
        health.fail(new IllegalStateException("made up"));
        assertThatThrownBy(second::result).isInstanceOf(EngineFailedException.class);
    }

    @Test
    void givenASleeper_whenInterrupted_thenTheWaitEnds() {
        TestThread<Integer> sleeper = start(LONG);
        sleeper.awaitParked();

        sleeper.interrupt();

        assertThatThrownBy(sleeper::result).isInstanceOf(WaitInterruptedException.class);
        assertThat(wait.waiting()).isZero();
    }

    private TestThread<Integer> start(long timeoutNanos) {
        return TestThread.start(() -> wait.get(this::tryTake, System.nanoTime(), timeoutNanos));
    }

    private void giveBack(int places) {
        free.addAndGet(places);
        wait.freed();
    }

    private Integer tryTake() {
        attempts.incrementAndGet();
        return free.getAndUpdate(places -> Math.max(0, places - 1)) > 0 ? 1 : null;
    }
}
