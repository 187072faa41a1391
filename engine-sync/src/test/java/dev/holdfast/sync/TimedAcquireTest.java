// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.TestLatch.Storage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Waiting with a limit, one interleaving a test. If it fails, a thread that gave up holds a latch,
 * or has taken a wake-up with it that another needed.
 */
final class TimedAcquireTest {
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LATER = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long LATE = TimeUnit.MINUTES.toNanos(1);

    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void givenNoTime_whenAcquired_thenItIsOneAttempt(long timeoutNanos) throws Exception {
        TestLatch latch = Storage.OBJECT.latch(site);

        assertThat(latch.tryAcquireExclusive(timeoutNanos)).isTrue();

        threads.start(
                () -> {
                    assertThat(latch.tryAcquireShared(timeoutNanos)).isFalse();
                    assertThat(latch.tryAcquireUpdate(timeoutNanos)).isFalse();
                    assertThat(latch.tryAcquireExclusive(timeoutNanos)).isFalse();
                });
        threads.join();
        assertThat(site.counters().contendedAcquires()).isZero();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource
    void givenAHolderThatStays_whenTheTimeIsOver_thenNothingOfTheAttemptIsLeft(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicInteger queueLocks = new AtomicInteger();
        latch.acquireExclusive();

        threads.start(
                () -> {
                    long began = System.nanoTime();
                    assertThat(latch.tryAcquireShared(SOON)).isFalse();
                    assertThat(latch.tryAcquireUpdate(SOON)).isFalse();
                    assertThat(latch.tryAcquireExclusive(SOON)).isFalse();
                    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(3 * SOON);
                    assertThat(HeldLatches.holdsNone()).isTrue();
                });
        threads.join();

        assertThat(site.counters().timeouts()).isEqualTo(3);
        TestHooks.onReached(QueueLock.LOCKING, queueLocks::incrementAndGet);
        latch.releaseExclusive();
        assertThat(queueLocks).as("the waiters bit is gone").hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void givenAWaiterWithALimit_whenReleasedInTime_thenItHasTheLatch(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean acquired = new AtomicBoolean();
        latch.acquireExclusive();
        Thread waiter =
                threads.start(
                        () -> {
                            acquired.set(latch.tryAcquireUpdate(LATE));
                            latch.releaseUpdate();
                        });
        threads.until(() -> waiter.getState() == Thread.State.TIMED_WAITING);

        latch.releaseExclusive();

        threads.join();
        assertThat(acquired).isTrue();
        assertThat(site.counters().timeouts()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void givenTheTimeIsOver_whenTheWaiterIsTakenOutBeforeItLeaves_thenItHasTheLatch(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean acquired = new AtomicBoolean();
        latch.acquireExclusive();
        try (TestHooks.Pause leaving = TestHooks.pauseAt(ParkingLot.BEFORE_LEAVING)) {
            threads.start(
                    () -> {
                        acquired.set(latch.tryAcquireExclusive(SOON));
                        latch.releaseExclusive();
                    });
            leaving.awaitReached();

            latch.releaseExclusive();
        }

        threads.join();
        assertThat(acquired).isTrue();
        assertThat(latch.isExclusive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenTheTimeIsOver_whenTheLatchIsHandedOverBeforeItLeaves_thenTheGrantIsKept(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean acquired = new AtomicBoolean();
        Semaphore mayTry = new Semaphore(0);
        TestHooks.onReached(ParkingLot.WOKEN, mayTry::acquireUninterruptibly);
        latch.acquireExclusive();
        try (TestHooks.Pause leaving = TestHooks.pauseAt(ParkingLot.BEFORE_LEAVING)) {
            threads.start(
                    () -> {
                        acquired.set(latch.tryAcquireExclusive(2 * LATER));
                        if (acquired.get()) {
                            latch.releaseExclusive();
                        }
                    });
            for (int i = 1; i <= ParkingLot.PASSED_OVER_MAX; i++) {
                long parks = i;
                threads.until(() -> site.counters().parks() == parks);
                latch.releaseExclusive();
                assertThat(latch.tryAcquireExclusive()).isTrue();
                mayTry.release();
            }
            leaving.awaitReached();

            latch.releaseExclusive();

            assertThat(latch.isExclusive()).as("handed over").isTrue();
        }
        threads.join();
        assertThat(acquired).isTrue();
        assertThat(latch.isExclusive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWokenWaiterGivesUp_whenAnotherIsQueued_thenTheNextReleaseWakesThat(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean acquired = new AtomicBoolean(true);
        latch.acquireExclusive();
        long began = System.nanoTime();
        try (TestHooks.Pause woken = TestHooks.pauseAt(ParkingLot.WOKEN)) {
            Thread timed = threads.start(() -> acquired.set(latch.tryAcquireExclusive(LATER)));
            threads.until(() -> timed.getState() == Thread.State.TIMED_WAITING);
            Thread writer =
                    threads.start(
                            () -> {
                                latch.acquireExclusive();
                                latch.releaseExclusive();
                            });
            threads.untilParked(writer, site, 2);
            latch.releaseExclusive();
            assertThat(latch.tryAcquireExclusive()).isTrue();
            woken.awaitReached();
            threads.until(() -> System.nanoTime() - began > 2 * LATER);
            woken.resume();
            threads.until(() -> !acquired.get());
        }

        latch.releaseExclusive();

        threads.join();
        assertThat(acquired).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWokenWaiterGivesUp_whenTheLatchAdmitsWhoIsBehindIt_thenThatIsWokenAtOnce(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean acquired = new AtomicBoolean(true);
        latch.acquireExclusive();
        long began = System.nanoTime();
        try (TestHooks.Pause woken = TestHooks.pauseAt(ParkingLot.WOKEN)) {
            Thread timed = threads.start(() -> acquired.set(latch.tryAcquireExclusive(LATER)));
            threads.until(() -> timed.getState() == Thread.State.TIMED_WAITING);
            Thread reader =
                    threads.start(
                            () -> {
                                latch.acquireShared();
                                latch.releaseShared();
                            });
            threads.untilParked(reader, site, 2);
            latch.releaseExclusive();
            assertThat(latch.tryAcquireShared()).isTrue();
            woken.awaitReached();
            threads.until(() -> System.nanoTime() - began > 2 * LATER);
        }

        threads.join();
        assertThat(acquired).isFalse();
        latch.releaseShared();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWriterKeepsAReaderOut_whenTheWriterGivesUp_thenTheReaderJoinsTheHolders(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean acquired = new AtomicBoolean(true);
        Semaphore mayLeave = new Semaphore(0);
        threads.start(
                () -> {
                    latch.acquireShared();
                    mayLeave.acquireUninterruptibly();
                    latch.releaseShared();
                });
        threads.until(latch::isShared);
        AtomicBoolean joined = new AtomicBoolean();
        try (TestHooks.Pause leaving = TestHooks.pauseAt(ParkingLot.BEFORE_LEAVING)) {
            threads.start(() -> acquired.set(latch.tryAcquireExclusive(SOON)));
            leaving.awaitReached();
            Thread reader =
                    threads.start(
                            () -> {
                                latch.acquireShared();
                                joined.set(true);
                                latch.releaseShared();
                            });
            threads.untilParked(reader, site, 2);
        }

        threads.until(joined::get);
        assertThat(latch.isShared()).isTrue();
        assertThat(latch.tryAcquireUpdate()).as("the bar is gone").isTrue();
        latch.releaseUpdate();
        mayLeave.release();
        threads.join();
        assertThat(acquired).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWaiterWithALimit_whenItIsInterrupted_thenItWaitsOnAndKeepsTheFlag(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean flagged = new AtomicBoolean();
        latch.acquireExclusive();

        threads.start(
                () -> {
                    Thread.currentThread().interrupt();
                    long began = System.nanoTime();
                    assertThat(latch.tryAcquireShared(SOON)).isFalse();
                    assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(SOON);
                    flagged.set(Thread.interrupted());
                });

        threads.join();
        assertThat(flagged).isTrue();
        latch.releaseExclusive();
    }
}
