// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.TestLatch.Storage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Waiting and waking, one interleaving a test. If it fails, a thread sleeps for ever or is passed
 * by for ever.
 */
final class ParkingLotTest {
    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnExclusiveHolder_whenAWriterWaits_thenTheReleaseWakesIt(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        latch.acquireExclusive();
        Thread writer = threads.start(() -> latch.passThrough(Mode.EXCLUSIVE));
        threads.untilParked(writer, site, 1);

        latch.releaseExclusive();

        threads.join();
        assertThat(site.counters().contendedAcquires()).isEqualTo(1);
        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource
    void givenReadersQueued_whenTheWriterReleases_thenAllOfThemShare(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicInteger inside = new AtomicInteger();
        latch.acquireExclusive();
        for (int i = 1; i <= 3; i++) {
            Thread reader =
                    threads.start(
                            () ->
                                    latch.passThrough(
                                            Mode.SHARED,
                                            () -> {
                                                inside.incrementAndGet();
                                                threads.until(() -> inside.get() == 3);
                                            }));
            threads.untilParked(reader, site, i);
        }

        latch.releaseExclusive();

        threads.join();
        assertThat(inside).hasValue(3);
    }

    @ParameterizedTest
    @EnumSource
    void givenAWriterQueuedBehindAReader_whenAnotherReaderComes_thenItQueuesBehind(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        List<String> order = new CopyOnWriteArrayList<>();
        latch.acquireShared();
        Thread writer =
                threads.start(() -> latch.passThrough(Mode.EXCLUSIVE, () -> order.add("writer")));
        threads.untilParked(writer, site, 1);
        assertThat(latch.tryAcquireShared()).isFalse();
        Thread reader =
                threads.start(() -> latch.passThrough(Mode.SHARED, () -> order.add("reader")));
        threads.untilParked(reader, site, 2);

        latch.releaseShared();

        threads.join();
        assertThat(order).containsExactly("writer", "reader");
    }

    @ParameterizedTest
    @EnumSource
    void givenAWaiterPassedOver_whenTheLimitIsReached_thenTheReleaseHandsTheLatchOver(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        Semaphore mayTry = new Semaphore(0);
        TestHooks.onReached(ParkingLot.WOKEN, mayTry::acquireUninterruptibly);
        latch.acquireExclusive();
        Thread writer = threads.start(() -> latch.passThrough(Mode.EXCLUSIVE));
        threads.untilParked(writer, site, 1);

        for (int i = 1; i <= ParkingLot.PASSED_OVER_MAX; i++) {
            latch.releaseExclusive();
            assertThat(latch.tryAcquireExclusive()).isTrue();
            mayTry.release();
            threads.untilParked(writer, site, 1L + i);
        }
        latch.releaseExclusive();

        threads.join();
        assertThat(mayTry.availablePermits()).isZero();
        assertThat(latch.isExclusive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenReadersPassedOver_whenTheLimitIsReached_thenTheBatchIsHandedTheLatch(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        Semaphore mayTry = new Semaphore(0);
        Semaphore mayRelease = new Semaphore(0);
        TestHooks.onReached(ParkingLot.WOKEN, mayTry::acquireUninterruptibly);
        latch.acquireExclusive();
        for (int i = 1; i <= 2; i++) {
            Thread reader =
                    threads.start(
                            () ->
                                    latch.passThrough(
                                            Mode.SHARED,
                                            () -> mayRelease.acquireUninterruptibly()));
            threads.untilParked(reader, site, i);
        }
        for (int i = 1; i <= ParkingLot.PASSED_OVER_MAX; i++) {
            latch.releaseExclusive();
            assertThat(latch.tryAcquireExclusive()).isTrue();
            mayTry.release(2);
            long parks = 2L * (i + 1);
            threads.until(() -> site.counters().parks() == parks);
        }

        latch.releaseExclusive();

        assertThat(latch.isShared()).isTrue();
        assertThat(latch.tryAcquireExclusive()).isFalse();
        mayRelease.release(2);
        threads.join();
        assertThat(latch.isShared()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWokenWaiterOnItsWay_whenTheLatchIsReleasedAgain_thenNobodyElseIsWoken(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        WokenWaiters woken = WokenWaiters.stopped();
        AtomicInteger slowReleases = new AtomicInteger();
        TestHooks.onReached(ParkingLot.BEFORE_WAKING, slowReleases::incrementAndGet);
        latch.acquireExclusive();
        for (int i = 1; i <= 2; i++) {
            Thread writer = threads.start(() -> latch.passThrough(Mode.EXCLUSIVE));
            threads.untilParked(writer, site, i);
        }

        latch.releaseExclusive();
        threads.until(() -> woken.count() == 1);
        for (int i = 0; i < 10; i++) {
            assertThat(latch.tryAcquireExclusive()).isTrue();
            latch.releaseExclusive();
        }

        assertThat(slowReleases).hasValue(1);
        woken.letTry(2);
        threads.join();
        assertThat(woken.count()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void givenAnOptimisticReaderWaiting_whenExclusiveIsReleased_thenItGoesOnHoldingNothing(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        latch.acquireExclusive();
        Thread writer = threads.start(() -> latch.passThrough(Mode.EXCLUSIVE));
        threads.untilParked(writer, site, 1);
        Thread reader = threads.start(latch::awaitNotExclusive);
        threads.untilParked(reader, site, 2);

        latch.releaseExclusive();

        threads.join();
        assertThat(latch.isExclusive()).isFalse();
        assertThat(latch.isShared()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenTheLatchIsReleased_whenAThreadIsAboutToQueue_thenItDoesNotSleep(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        latch.acquireExclusive();
        try (TestHooks.Pause beforeQueueing = TestHooks.pauseAt(ParkingLot.BEFORE_QUEUEING)) {
            threads.start(() -> latch.passThrough(Mode.SHARED));
            beforeQueueing.awaitReached();

            latch.releaseExclusive();
        }

        threads.join();
        assertThat(site.counters().parks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void givenAThreadQueues_whenTheHolderIsAboutToRelease_thenItIsWoken(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        Thread holder;
        Thread writer;
        try (TestHooks.Pause beforeQueueing = TestHooks.pauseAt(ParkingLot.BEFORE_QUEUEING);
                TestHooks.Pause beforeWaking = TestHooks.pauseAt(ParkingLot.BEFORE_WAKING)) {
            Semaphore mayRelease = new Semaphore(0);
            holder =
                    threads.start(
                            () ->
                                    latch.passThrough(
                                            Mode.EXCLUSIVE,
                                            () -> mayRelease.acquireUninterruptibly()));
            threads.until(latch::isExclusive);
            writer = threads.start(() -> latch.passThrough(Mode.EXCLUSIVE));
            beforeQueueing.awaitReached();
            beforeQueueing.resume();
            threads.untilParked(writer, site, 1);
            mayRelease.release();
            beforeWaking.awaitReached();
            assertThat(latch.isExclusive()).isTrue();
        }

        threads.join();
        assertThat(holder.isAlive()).isFalse();
        assertThat(writer.isAlive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWakeUpIsLostByFault_whenReleased_thenTheWaiterDoesNotGetTheLatch(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicInteger acquired = new AtomicInteger();
        latch.acquireExclusive();
        Thread writer =
                threads.start(
                        () -> latch.passThrough(Mode.EXCLUSIVE, () -> acquired.incrementAndGet()));
        threads.untilParked(writer, site, 1);

        TestHooks.plant(PlantedFault.WAKE_UP_LOST);
        latch.releaseExclusive();

        // Out of the queue, and nobody but the hooks has its waiter any more.
        assertThat(latch.isExclusive()).isFalse();
        assertThat(writer.getState()).isEqualTo(Thread.State.WAITING);
        assertThat(acquired).hasValue(0);

        TestHooks.unplant(PlantedFault.WAKE_UP_LOST);
        threads.join();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWaiter_whenItIsInterrupted_thenItWaitsOnAndKeepsTheFlag(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicInteger flagged = new AtomicInteger();
        latch.acquireExclusive();
        Thread writer =
                threads.start(
                        () -> {
                            Thread.currentThread().interrupt();
                            latch.acquireExclusive();
                            flagged.addAndGet(Thread.interrupted() ? 1 : 0);
                            latch.releaseExclusive();
                        });
        threads.untilParked(writer, site, 1);
        writer.interrupt();
        threads.untilParked(writer, site, 1);

        latch.releaseExclusive();

        threads.join();
        assertThat(flagged).hasValue(1);
    }
}
