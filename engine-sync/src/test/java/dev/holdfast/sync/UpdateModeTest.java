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
 * Waiting for update, for an upgrade and behind a downgrade, one interleaving a test. If it fails,
 * readers see a change under way, or somebody sleeps for ever.
 */
final class UpdateModeTest {
    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnUpdateHolder_whenOthersTry_thenReadersAloneGetIn(Storage storage) {
        TestLatch latch = storage.latch(site);

        runElsewhere(latch::acquireUpdate);

        assertThat(latch.isUpdate()).isTrue();
        assertThat(latch.tryAcquireUpdate()).isFalse();
        assertThat(latch.tryAcquireExclusive()).isFalse();
        assertThat(latch.tryUpgradeToExclusive(0)).isFalse();
        assertThat(latch.validate(latch.optimisticVersion())).isTrue();
        assertThat(latch.tryAcquireShared()).isTrue();
        latch.releaseShared();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWaiterForUpdate_whenTheHolderReleases_thenItIsWokenBesideReaders(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        runElsewhere(latch::acquireShared);
        latch.acquireUpdate();
        Thread second = threads.start(() -> latch.passThrough(Mode.UPDATE));
        threads.untilParked(second, site, 1);

        latch.releaseUpdate();

        threads.join();
        assertThat(latch.isUpdate()).isFalse();
        assertThat(latch.isShared()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void givenOneWaitsForUpdateOnly_whenAReaderComes_thenItJoinsThoseInside(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        latch.acquireUpdate();
        Thread second = threads.start(() -> latch.passThrough(Mode.UPDATE));
        threads.untilParked(second, site, 1);

        runElsewhere(latch::acquireShared);

        assertThat(latch.isShared()).isTrue();
        latch.releaseUpdate();
        threads.join();
    }

    @ParameterizedTest
    @EnumSource
    void givenTwoWaitForUpdate_whenOneHasGotIt_thenAReaderJoinsItPastTheOther(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicInteger inside = new AtomicInteger();
        Semaphore mayLeave = new Semaphore(0);
        latch.acquireUpdate();
        for (int i = 1; i <= 2; i++) {
            Thread updater =
                    threads.start(
                            () ->
                                    latch.passThrough(
                                            Mode.UPDATE,
                                            () -> {
                                                inside.incrementAndGet();
                                                mayLeave.acquireUninterruptibly();
                                            }));
            threads.untilParked(updater, site, i);
        }
        latch.releaseUpdate();
        threads.until(() -> inside.get() == 1);

        assertThat(latch.tryAcquireShared()).isTrue();

        latch.releaseShared();
        mayLeave.release(2);
        threads.join();
        assertThat(inside).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void givenAWriterAndAnUpdaterQueued_whenAReaderComes_thenItQueuesBehindThem(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        List<String> order = new CopyOnWriteArrayList<>();
        latch.acquireUpdate();
        Thread updater =
                threads.start(() -> latch.passThrough(Mode.UPDATE, () -> order.add("updater")));
        threads.untilParked(updater, site, 1);
        Thread writer =
                threads.start(() -> latch.passThrough(Mode.EXCLUSIVE, () -> order.add("writer")));
        threads.untilParked(writer, site, 2);
        assertThat(latch.tryAcquireShared()).isFalse();
        Thread reader =
                threads.start(() -> latch.passThrough(Mode.SHARED, () -> order.add("reader")));
        threads.untilParked(reader, site, 3);

        latch.releaseUpdate();

        threads.join();
        assertThat(order).containsExactly("updater", "writer", "reader");
    }

    @ParameterizedTest
    @EnumSource
    void givenReadersAndTwoUpdatersQueued_whenTheWriterReleases_thenAllReadersAndOneGetIn(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger updaters = new AtomicInteger();
        Semaphore mayLeave = new Semaphore(0);
        latch.acquireExclusive();
        Runnable reader =
                () ->
                        latch.passThrough(
                                Mode.SHARED,
                                () -> {
                                    readers.incrementAndGet();
                                    mayLeave.acquireUninterruptibly();
                                });
        Runnable updater =
                () ->
                        latch.passThrough(
                                Mode.UPDATE,
                                () -> {
                                    updaters.incrementAndGet();
                                    mayLeave.acquireUninterruptibly();
                                });
        int parks = 0;
        for (Runnable body : List.of(reader, updater, updater, reader)) {
            threads.untilParked(threads.start(body), site, ++parks);
        }

        latch.releaseExclusive();

        threads.until(() -> readers.get() == 2 && updaters.get() == 1);
        assertThat(latch.tryAcquireUpdate()).isFalse();
        mayLeave.release(4);
        threads.join();
        assertThat(updaters).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource
    void givenNoReaders_whenUpgraded_thenItIsExclusiveAtOnceAndTheVersionIsKept(Storage storage) {
        TestLatch latch = storage.latch(site);
        latch.acquireUpdate();
        long version = latch.optimisticVersion();

        assertThat(latch.tryUpgradeToExclusive()).isTrue();

        assertThat(latch.isExclusive()).isTrue();
        assertThat(latch.isUpdate()).isFalse();
        assertThat(latch.validate(version)).isFalse();
        latch.releaseExclusive();
        assertThat(latch.validate(version)).isFalse();
        assertThat(site.counters().contendedAcquires()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void givenAReaderInside_whenUpgradeIsTried_thenUpdateIsKept(Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        Semaphore mayLeave = new Semaphore(0);
        latch.acquireUpdate();
        threads.start(
                () -> latch.passThrough(Mode.SHARED, () -> mayLeave.acquireUninterruptibly()));
        threads.until(latch::isShared);

        assertThat(latch.tryUpgradeToExclusive()).isFalse();

        assertThat(latch.isUpdate()).isTrue();
        assertThat(latch.tryAcquireUpdate()).isFalse();
        mayLeave.release();
        threads.join();
        assertThat(latch.tryUpgradeToExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnUpgraderSleeps_whenReadersCome_thenNoneIsAdmittedBeforeIt(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        List<String> order = new CopyOnWriteArrayList<>();
        latch.acquireShared();
        Thread upgrader =
                threads.start(
                        () -> {
                            latch.acquireUpdate();
                            latch.upgradeToExclusive();
                            order.add("upgrader");
                            latch.releaseExclusive();
                        });
        threads.untilParked(upgrader, site, 1);
        long version = latch.optimisticVersion();

        assertThat(latch.tryAcquireShared()).isFalse();
        Thread reader =
                threads.start(() -> latch.passThrough(Mode.SHARED, () -> order.add("reader")));
        threads.untilParked(reader, site, 2);
        assertThat(latch.validate(version)).as("nothing is changed yet").isTrue();
        latch.releaseShared();

        threads.join();
        assertThat(order).containsExactly("upgrader", "reader");
        assertThat(latch.validate(version)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAWokenReaderOnItsWay_whenAnUpgraderSleeps_thenTheLastReaderMakesItExclusive(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        WokenWaiters woken = WokenWaiters.stopped();
        latch.acquireExclusive();
        Thread reader = threads.start(() -> latch.passThrough(Mode.SHARED));
        threads.untilParked(reader, site, 1);
        latch.releaseExclusive();
        threads.until(() -> woken.count() == 1);
        assertThat(latch.tryAcquireShared()).isTrue();
        AtomicInteger upgraded = new AtomicInteger();
        Thread upgrader =
                threads.start(
                        () -> {
                            latch.acquireUpdate();
                            latch.upgradeToExclusive();
                            upgraded.incrementAndGet();
                            latch.releaseExclusive();
                        });
        threads.untilParked(upgrader, site, 2);

        latch.releaseShared();

        threads.until(() -> upgraded.get() == 1);
        woken.letTry(10);
        threads.join();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnUpgraderIsAboutToSleep_whenTheLastReaderLeaves_thenItDoesNotSleep(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        latch.acquireShared();
        try (TestHooks.Pause beforeQueueing = TestHooks.pauseAt(ParkingLot.BEFORE_QUEUEING)) {
            threads.start(
                    () -> {
                        latch.acquireUpdate();
                        latch.upgradeToExclusive();
                        latch.releaseExclusive();
                    });
            beforeQueueing.awaitReached();

            latch.releaseShared();
        }

        threads.join();
        assertThat(site.counters().parks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void givenTheLastReaderIsAboutToWake_whenTheUpgraderSleeps_thenItIsMadeExclusive(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        Semaphore mayRelease = new Semaphore(0);
        threads.start(
                () -> latch.passThrough(Mode.SHARED, () -> mayRelease.acquireUninterruptibly()));
        threads.until(latch::isShared);
        Thread upgrader =
                threads.start(
                        () -> {
                            latch.acquireUpdate();
                            latch.upgradeToExclusive();
                            latch.releaseExclusive();
                        });
        threads.untilParked(upgrader, site, 1);

        try (TestHooks.Pause beforeWaking = TestHooks.pauseAt(ParkingLot.BEFORE_WAKING)) {
            mayRelease.release();
            beforeWaking.awaitReached();
            assertThat(latch.isUpdate()).isTrue();
            assertThat(latch.tryAcquireShared()).isFalse();
        }

        threads.join();
        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource
    void givenReadersQueued_whenExclusiveIsLoweredToUpdate_thenTheyGetIn(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        long version = latch.optimisticVersion();
        latch.acquireExclusive();
        Thread reader = threads.start(() -> latch.passThrough(Mode.SHARED));
        threads.untilParked(reader, site, 1);

        latch.downgradeToUpdate();

        threads.join();
        assertThat(latch.isUpdate()).isTrue();
        assertThat(latch.isExclusive()).isFalse();
        assertThat(latch.validate(version)).as("the holder may have changed it").isFalse();
        latch.releaseUpdate();
    }

    @ParameterizedTest
    @EnumSource
    void givenReadersQueued_whenExclusiveIsLoweredToShared_thenTheyGetIn(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        long version = latch.optimisticVersion();
        latch.acquireExclusive();
        Thread reader = threads.start(() -> latch.passThrough(Mode.SHARED));
        threads.untilParked(reader, site, 1);

        latch.downgradeToShared();

        threads.join();
        assertThat(latch.isShared()).isTrue();
        assertThat(latch.validate(version)).as("the holder may have changed it").isFalse();
        latch.releaseShared();
    }

    @ParameterizedTest
    @EnumSource
    void givenOneWaitsForUpdate_whenUpdateIsLoweredToShared_thenItGetsIn(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        latch.acquireUpdate();
        long version = latch.optimisticVersion();
        Thread second = threads.start(() -> latch.passThrough(Mode.UPDATE));
        threads.untilParked(second, site, 1);

        latch.downgradeToShared();

        threads.join();
        assertThat(latch.isShared()).isTrue();
        assertThat(latch.validate(version)).isTrue();
        latch.releaseShared();
    }

    @ParameterizedTest
    @EnumSource
    void givenAReaderTakesOverAWakeUp_whenOneWaitsForUpdateBehindIt_thenLaterReadersAreBarred(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        WokenWaiters woken = WokenWaiters.stopped();
        Semaphore mayLeave = new Semaphore(0);
        latch.acquireExclusive();
        Thread reader =
                threads.start(
                        () ->
                                latch.passThrough(
                                        Mode.SHARED, () -> mayLeave.acquireUninterruptibly()));
        threads.untilParked(reader, site, 1);
        latch.releaseExclusive();
        threads.until(() -> woken.count() == 1);
        latch.acquireExclusive();
        Thread updater = threads.start(() -> latch.passThrough(Mode.UPDATE));
        threads.untilParked(updater, site, 2);
        latch.releaseExclusive();
        woken.letTry(10);
        threads.until(latch::isShared);

        assertThat(latch.tryAcquireShared()).as("else they might overlap for ever").isFalse();

        mayLeave.release();
        threads.join();
    }

    /** In a thread of its own, as another holder would. */
    private static void runElsewhere(Runnable body) {
        TestThreads elsewhere = new TestThreads();
        elsewhere.start(body);
        try {
            elsewhere.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
