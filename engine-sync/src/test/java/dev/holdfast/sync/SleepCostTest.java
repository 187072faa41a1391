// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.TestLatch.Storage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a sleep and a wake-up cost: changes of the word and queue locks are counted. One more of
 * either on these paths is a thread more that meets another there.
 */
final class SleepCostTest {
    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();
    private final AtomicInteger queueLocks = new AtomicInteger();
    private final CountingWord counting = new CountingWord();
    private final Object storage = new Object();

    @BeforeEach
    void countQueueLocks() {
        TestHooks.onReached(QueueLock.LOCKING, queueLocks::incrementAndGet);
    }

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @ParameterizedTest
    @CsvSource({
        "SHARED, EXCLUSIVE, 1",
        "UPDATE, EXCLUSIVE, 1",
        "UPDATE, UPDATE, 1",
        "EXCLUSIVE, EXCLUSIVE, 1",
        "EXCLUSIVE, SHARED, 1",
        "UPGRADE, SHARED, 0"
    })
    void givenAHolder_whenAThreadSleepsAndIsWoken_thenEachCostsOneCasAndOneQueueLock(
            Mode mode, Release release, int swapsToEnter) throws Exception {
        counting.word.set(heldUntil(release) | (mode == Mode.UPGRADE ? LatchWord.UPDATE : 0));
        Thread waiter = start(mode, ParkingLot.FOREVER);
        threads.untilParked(waiter, site, 1);
        assertThat(counting.swaps).as("to sleep").hasValue(1);
        assertThat(queueLocks).as("to sleep").hasValue(1);

        ParkingLot.release(counting, storage, 0, release);
        threads.join();

        assertThat(counting.swaps).as("and to wake and enter").hasValue(2 + swapsToEnter);
        assertThat(queueLocks).as("and to wake").hasValue(2);
        assertThat(counting.word.get() & (LatchWord.WAITERS | LatchWord.WOKEN)).isZero();
    }

    @Test
    void givenAWaiterWithALimit_whenItsTimeIsOver_thenLeavingCostsOneCasAndOneQueueLock()
            throws Exception {
        counting.word.set(LatchWord.EXCLUSIVE);

        start(Mode.EXCLUSIVE, 1_000_000);
        threads.join();

        assertThat(counting.swaps).as("to sleep and to leave").hasValue(2);
        assertThat(queueLocks).as("to sleep and to leave").hasValue(2);
        assertThat(counting.word).hasValue(LatchWord.EXCLUSIVE);
    }

    @ParameterizedTest
    @CsvSource({"UPDATE", "EXCLUSIVE", "TO_UPDATE", "TO_SHARED"})
    void givenNobodyWaits_whenReleased_thenItCostsOneCasAndNoQueueLock(Release release) {
        counting.word.set(release == Release.UPDATE ? LatchWord.UPDATE : LatchWord.EXCLUSIVE);

        LatchForms.release(counting, storage, 0, release);

        assertThat(counting.swaps).hasValue(1);
        assertThat(queueLocks).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void givenNobodyWaits_whenEachModeIsReleased_thenNoQueueLockIsTaken(Storage where) {
        TestLatch latch = where.latch(site);

        latch.acquireShared();
        latch.releaseShared();
        latch.acquireUpdate();
        latch.upgradeToExclusive();
        latch.downgradeToUpdate();
        latch.downgradeToShared();
        latch.releaseShared();
        latch.acquireExclusive();
        latch.releaseExclusive();

        assertThat(queueLocks).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void givenAWaiterIsOnItsWay_whenTheLatchIsUsedMeanwhile_thenNoQueueLockIsTaken(Storage where)
            throws Exception {
        TestLatch latch = where.latch(site);
        latch.acquireExclusive();
        try (TestHooks.Pause woken = TestHooks.pauseAt(ParkingLot.WOKEN)) {
            Thread waiter =
                    threads.start(
                            () -> {
                                latch.acquireExclusive();
                                latch.releaseExclusive();
                            });
            threads.untilParked(waiter, site, 1);
            latch.releaseExclusive();
            woken.awaitReached();
            queueLocks.set(0);

            latch.acquireExclusive();
            latch.releaseExclusive();
            latch.acquireShared();
            latch.releaseShared();
            latch.acquireUpdate();
            latch.releaseUpdate();

            assertThat(queueLocks).hasValue(0);
        }
        threads.join();
    }

    private Thread start(Mode mode, long timeoutNanos) {
        return threads.start(
                () -> {
                    // A thread's first sleep makes its notes, once.
                    CurrentWait.sleeping(site, storage, 0).end();
                    queueLocks.set(0);
                    ParkingLot.acquire(counting, storage, 0, mode, site, timeoutNanos);
                });
    }

    private static long heldUntil(Release release) {
        return switch (release) {
            case SHARED -> LatchWord.SHARED_ONE;
            case UPDATE -> LatchWord.UPDATE;
            default -> LatchWord.EXCLUSIVE;
        };
    }

    /** A word that counts the CASes on it. */
    private static final class CountingWord implements WordAccess {
        private final AtomicLong word = new AtomicLong();
        private final AtomicInteger swaps = new AtomicInteger();

        @Override
        public long wordAcquire(Object unused, int index) {
            return word.get();
        }

        @Override
        public boolean compareAndSet(Object unused, int index, long expected, long update) {
            swaps.incrementAndGet();
            return word.compareAndSet(expected, update);
        }
    }
}
