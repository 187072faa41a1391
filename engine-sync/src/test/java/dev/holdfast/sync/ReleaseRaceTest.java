// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.TestLatch.Storage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A holder has seen that nobody waits, and then somebody queues before it releases. If it fails, it
 * frees the latch and wakes nobody.
 */
final class ReleaseRaceTest {
    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @ParameterizedTest
    @EnumSource
    void givenExclusiveIsAboutToBeReleased_whenAWriterQueues_thenItIsWoken(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);

        queueBeforeTheRelease(
                () -> hold(latch::acquireExclusive, latch::releaseExclusive),
                () -> hold(latch::acquireExclusive, latch::releaseExclusive));

        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = "SPREAD") // a reader's stripe: SpreadReadersTest
    void givenSharedIsAboutToBeReleased_whenAWriterQueues_thenItIsWoken(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);

        queueBeforeTheRelease(
                () -> hold(latch::acquireShared, latch::releaseShared),
                () -> hold(latch::acquireExclusive, latch::releaseExclusive));

        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = "SPREAD") // a reader's stripe: SpreadReadersTest
    void givenSharedIsAboutToBeReleased_whenAnUpgraderSleeps_thenItIsMadeExclusive(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);

        queueBeforeTheRelease(
                () -> hold(latch::acquireShared, latch::releaseShared),
                () -> {
                    latch.acquireUpdate();
                    hold(latch::upgradeToExclusive, latch::releaseExclusive);
                });

        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    private void queueBeforeTheRelease(Runnable holder, Runnable waiter) throws Exception {
        try (TestHooks.Pause releasing = TestHooks.pauseAt(ParkingLot.RELEASING)) {
            threads.start(holder);
            releasing.awaitReached();
            threads.untilParked(threads.start(waiter), site, 1);
        }
        threads.join();
        assertThat(site.counters().parks()).isEqualTo(1);
    }

    private static void hold(Runnable acquire, Runnable release) {
        acquire.run();
        release.run();
    }
}
