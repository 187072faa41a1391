// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If it fails, a commit sleeps although it is durable, or returns before it is. */
final class SequenceBarrierTest {
    private final FreshSite site = new FreshSite();
    private final SequenceBarrier barrier = new SequenceBarrier(site);
    private final AtomicLong number = new AtomicLong();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenTheTargetIsReached_whenAwaited_thenItReturnsAtOnceAndCountsNothing() {
        number.set(10);
        stop.set(true);

        assertThat(barrier.await(10, number::get, stop::get)).isTrue();

        assertThat(barrier.await(11, number::get, stop::get)).isFalse();
        assertThat(site.counters().contendedAcquires()).isZero();
    }

    @Test
    void givenWaiters_whenTheNumberAdvances_thenOnlyThoseItReachedGoOn() throws Exception {
        AtomicInteger done = new AtomicInteger();
        Thread late = waiter(20, done);
        threads.untilParked(late, site, 1);
        Thread early = waiter(10, done);
        threads.untilParked(early, site, 2);
        assertThat(barrier.lowestTarget()).isEqualTo(10);

        publish(15);
        threads.until(() -> done.get() == 1);

        assertThat(early.getState()).isNotEqualTo(Thread.State.WAITING);
        assertThat(late.getState()).isEqualTo(Thread.State.WAITING);
        assertThat(barrier.lowestTarget()).isEqualTo(20);
        publish(20);
        threads.join();
        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
        assertThat(site.counters().parks()).as("nobody woke in vain").isEqualTo(2);
    }

    @Test
    void givenTargetsInAnyOrder_whenWokenOneByOne_thenTheLowestIsFirst() throws Exception {
        List<Long> order = new CopyOnWriteArrayList<>();
        long[] targets = {30, 10, 40, 20};
        for (int i = 0; i < targets.length; i++) {
            long target = targets[i];
            Thread thread =
                    threads.start(
                            () -> {
                                barrier.await(target, number::get, stop::get);
                                order.add(target);
                            });
            threads.untilParked(thread, site, i + 1L);
        }
        stop.set(true);

        for (int i = 1; i <= targets.length; i++) {
            int woken = i;
            assertThat(barrier.wakeFirst()).isTrue();
            threads.until(() -> order.size() == woken);
        }

        threads.join();
        assertThat(order).containsExactly(10L, 20L, 30L, 40L);
        assertThat(barrier.wakeFirst()).isFalse();
    }

    @Test
    void givenTheNumberAdvances_whenAWaiterIsAboutToPark_thenItDoesNotSleepPastIt()
            throws Exception {
        try (TestHooks.Pause beforePark = TestHooks.pauseAt(SequenceBarrier.BEFORE_PARK)) {
            waiter(10, new AtomicInteger());
            beforePark.awaitReached();

            publish(10);
        }

        threads.join();
        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void givenALeadHandedToAWaiterThatNoLongerNeedsIt_whenItLeaves_thenTheNextOneGetsIt()
            throws Exception {
        AtomicInteger leads = new AtomicInteger();
        AtomicBoolean leadFree = new AtomicBoolean();
        Thread second =
                threads.start(
                        () -> {
                            boolean reached =
                                    barrier.await(
                                            20,
                                            number::get,
                                            () -> leadFree.compareAndSet(true, false));
                            leads.addAndGet(reached ? 0 : 1);
                        });
        threads.untilParked(second, site, 1);
        try (TestHooks.Pause beforePark = TestHooks.pauseAt(SequenceBarrier.BEFORE_PARK)) {
            waiter(10, new AtomicInteger());
            beforePark.awaitReached();
            leadFree.set(true);
            // The number is published, and the lead handed on before its waiters are woken.
            number.set(10);
            assertThat(barrier.wakeFirst()).isTrue();
        }

        threads.join();
        assertThat(leads).hasValue(1);
    }

    @Test
    void givenWaiters_whenTheyShallStop_thenWakeAllEndsThemAll() throws Exception {
        AtomicInteger reached = new AtomicInteger();
        for (int i = 1; i <= 3; i++) {
            Thread thread =
                    threads.start(
                            () -> {
                                if (barrier.await(10, number::get, stop::get)) {
                                    reached.incrementAndGet();
                                }
                            });
            threads.untilParked(thread, site, i);
        }
        barrier.wakeAll();
        threads.until(() -> site.counters().parks() == 6);

        stop.set(true);
        barrier.wakeAll();

        threads.join();
        assertThat(reached).hasValue(0);
    }

    @Test
    void givenAnInterruptedWaiter_whenTheTargetIsReached_thenItHasWaitedAndKeepsTheFlag()
            throws Exception {
        AtomicInteger flagged = new AtomicInteger();
        Thread thread =
                threads.start(
                        () -> {
                            Thread.currentThread().interrupt();
                            barrier.await(10, number::get, stop::get);
                            flagged.addAndGet(Thread.interrupted() ? 1 : 0);
                        });
        threads.untilParked(thread, site, 1);
        thread.interrupt();

        publish(10);

        threads.join();
        assertThat(flagged).hasValue(1);
    }

    @Test
    void givenASupplierThatThrows_whenAwaited_thenTheWaiterIsOutOfTheQueue() {
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(
                        () ->
                                barrier.await(
                                        10,
                                        () -> {
                                            if (calls.incrementAndGet() == 2) {
                                                throw new IllegalStateException("planted");
                                            }
                                            return 0;
                                        },
                                        stop::get))
                .hasMessage("planted");

        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
        number.set(10);
        assertThat(barrier.await(10, number::get, stop::get)).isTrue();
    }

    @Test
    void givenAQueuedWaiter_whenWhatItAsksWaitsInTurn_thenBothWaitsEnd() throws Exception {
        Latch latch = new Latch(new FreshSite());
        AtomicBoolean asked = new AtomicBoolean();
        latch.acquireExclusive();
        threads.start(
                () ->
                        barrier.await(
                                10,
                                number::get,
                                () -> {
                                    if (barrier.lowestTarget() == 10 && !asked.getAndSet(true)) {
                                        latch.acquireShared();
                                        latch.releaseShared();
                                    }
                                    return false;
                                }));
        threads.until(() -> latch.site().counters().parks() == 1);

        latch.releaseExclusive();
        threads.until(() -> site.counters().parks() == 1);
        publish(10);

        threads.join();
        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void givenATimeLimit_whenNothingComes_thenItEndsCountedAndLeavesNobodyBehind() {
        long begun = System.nanoTime();

        SequenceBarrier.End end = barrier.await(10, number::get, stop::get, 2_000_000);

        assertThat(end).isEqualTo(SequenceBarrier.End.TIMED_OUT);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(2_000_000);
        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
        assertThat(site.counters().timeouts()).isEqualTo(1);
        assertThat(barrier.await(10, number::get, stop::get, -1))
                .isEqualTo(SequenceBarrier.End.TIMED_OUT);
    }

    @Test
    void givenATimeLimit_whenTheNumberComesOrItShallStop_thenTheEndSaysSo() throws Exception {
        List<SequenceBarrier.End> ends = new CopyOnWriteArrayList<>();
        for (long target : new long[] {10, 20}) {
            threads.start(
                    () -> ends.add(barrier.await(target, number::get, stop::get, Long.MAX_VALUE)));
        }
        threads.until(() -> site.counters().parks() == 2);

        publish(10);
        threads.until(() -> ends.size() == 1);
        stop.set(true);
        barrier.wakeAll();

        threads.join();
        assertThat(ends).containsExactly(SequenceBarrier.End.REACHED, SequenceBarrier.End.STOPPED);
        assertThat(site.counters().timeouts()).isZero();
    }

    @Test
    void givenALeadHandedToAWaiterWhoseTimeIsUp_whenItLeaves_thenTheNextOneGetsIt()
            throws Exception {
        AtomicInteger leads = new AtomicInteger();
        AtomicBoolean leadFree = new AtomicBoolean();
        Thread second =
                threads.start(
                        () -> {
                            barrier.await(
                                    20, number::get, () -> leadFree.compareAndSet(true, false));
                            leads.incrementAndGet();
                        });
        threads.untilParked(second, site, 1);
        try (TestHooks.Pause afterPark = TestHooks.pauseAt(SequenceBarrier.AFTER_PARK)) {
            threads.start(() -> barrier.await(10, number::get, () -> false, 1_000_000));
            afterPark.awaitReached();
            leadFree.set(true);
            assertThat(barrier.wakeFirst()).isTrue();
        }

        threads.join();
        assertThat(leads).hasValue(1);
    }

    @Test
    void givenAWaiter_whenItSleeps_thenItsNoteSaysForWhatUntilItGoesOn() throws Exception {
        List<LongWaits> told = new CopyOnWriteArrayList<>();
        WaitWatchdog watchdog = new WaitWatchdog(0, told::add);
        Thread thread = waiter(10, new AtomicInteger());
        threads.untilParked(thread, site, 1);

        assertThat(watchdog.check(System.nanoTime())).isEqualTo(1);
        publish(10);
        threads.join();

        assertThat(told.get(0).waits().get(0).site()).isSameAs(site);
        assertThat(told.get(0).waits().get(0).what()).contains("SequenceBarrier@", "key=10");
        assertThat(new WaitWatchdog(0, told::add).check(System.nanoTime())).isZero();
    }

    @Test
    void givenManyWaits_whenAThreadSleepsAgainAndAgain_thenNothingIsAllocated() throws Exception {
        int parks = 1000;
        site.counters().timing(WaitTiming.FULL);
        AtomicLong allocated = new AtomicLong();
        LongSupplier current = number::get;
        BooleanSupplier never = () -> false;
        threads.start(
                () -> {
                    long before = 0;
                    for (int i = 1; i <= 2 * parks; i++) {
                        if (i == parks) {
                            before = AllocatedBytes.ofThisThread();
                        }
                        barrier.await(i, current, never);
                    }
                    allocated.set(AllocatedBytes.ofThisThread() - before);
                });

        for (int i = 1; i <= 2 * parks; i++) {
            int round = i;
            threads.until(() -> barrier.lowestTarget() == round);
            publish(i);
        }

        threads.join();
        assertThat((double) allocated.get() / parks).isLessThan(4);
    }

    private Thread waiter(long target, AtomicInteger done) {
        return threads.start(
                () -> {
                    assertThat(barrier.await(target, number::get, stop::get)).isTrue();
                    assertThat(number.get()).isGreaterThanOrEqualTo(target);
                    done.incrementAndGet();
                });
    }

    private void publish(long value) {
        number.set(value);
        barrier.advanced(value);
    }
}
