// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import dev.holdfast.LogSpaceTimeoutException;
import dev.holdfast.core.watch.EngineHealth;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * If this failed, the log would overwrite what recovery needs, or a writer would sleep for ever.
 */
@Timeout(60)
final class LogSpaceTest {
    private static final RedoOptions OPTIONS = TestLog.options(64, 1 << 16, 1 << 14);
    private static final long CAPACITY = OPTIONS.layout().capacityBytes();
    private static final int GROUP = 8000;

    private final AtomicLong appendLsn = new AtomicLong(4160);
    private final EngineHealth health = new EngineHealth();
    private final LogSpace space = new LogSpace(appendLsn::get, 4160, OPTIONS, health);

    @Test
    void givenAnEmptyLog_whenAcquiredUntilFull_thenGrantsAndTheReserveFitTheCapacity() {
        int ordinary = acquireUntilFull();

        int reserved = 0;
        while (space.granted() + LogSpace.charge(GROUP) <= CAPACITY - 3 * Lsn.BLOCK_BYTES) {
            space.acquireReserved(GROUP);
            reserved++;
        }

        assertThat(ordinary).isGreaterThan(10);
        assertThat(reserved).isPositive();
        assertThat(space.granted()).isLessThan(CAPACITY);
    }

    @Test
    void givenNoRoom_whenTheDeadlineIsPast_thenItTimesOutAndTheCleanerWasWoken() {
        AtomicInteger woken = new AtomicInteger();
        space.onPressure(woken::incrementAndGet);
        acquireUntilFull();
        woken.set(0);
        long granted = space.granted();

        assertThatThrownBy(() -> space.acquire(GROUP, System.nanoTime() + 1_000_000))
                .isInstanceOf(LogSpaceTimeoutException.class)
                .hasMessageContaining("capacityBytes=" + CAPACITY);

        assertThat(woken.get()).isPositive();
        assertThat(space.granted()).isEqualTo(granted);
    }

    @Test
    void givenReleasedGrants_whenAcquiredAgain_thenThereIsRoomExceptForWhatWasAppended() {
        int count = acquireUntilFull();
        for (int i = 0; i < count; i++) {
            space.release(GROUP);
        }
        assertThat(space.granted()).isZero();

        appendLsn.addAndGet(5 * LogSpace.charge(GROUP));

        assertThat(space.age()).isEqualTo(5 * LogSpace.charge(GROUP));
        assertThat(acquireUntilFull()).isEqualTo(count - 5);
    }

    @Test
    void givenAWaiter_whenTheCheckpointAdvances_thenItGoesOn() throws InterruptedException {
        appendLsn.addAndGet(space.ageLimit());
        CountDownLatch waiting = new CountDownLatch(1);
        space.onPressure(waiting::countDown);
        Thread waiter = start(() -> space.acquire(GROUP, Long.MAX_VALUE), null);
        waiting.await();

        space.checkpointAdvanced(appendLsn.get());

        waiter.join();
        assertThat(space.granted()).isEqualTo(LogSpace.charge(GROUP));
        assertThat(space.checkpointLsn()).isEqualTo(appendLsn.get());
    }

    @Test
    void givenAWaiterForMuch_whenALittleIsReleased_thenAWaiterOfTheReserveGoesOn()
            throws InterruptedException {
        int count = acquireUntilFull();
        int reserved = 0;
        while (space.granted() + LogSpace.charge(GROUP) <= CAPACITY - 3 * Lsn.BLOCK_BYTES) {
            space.acquireReserved(GROUP);
            reserved++;
        }
        CountDownLatch waiting = new CountDownLatch(2);
        space.onPressure(waiting::countDown);
        Thread ordinary = start(() -> space.acquire(1 << 14, Long.MAX_VALUE), null);
        Thread rollback = start(() -> space.acquireReserved(GROUP), null);
        waiting.await(10, TimeUnit.SECONDS);

        space.release(GROUP);

        rollback.join();
        assertThat(ordinary.isAlive()).isTrue();
        for (int i = 0; i < count + reserved; i++) {
            space.release(GROUP);
        }
        ordinary.join();
        assertThat(space.granted()).isEqualTo(LogSpace.charge(1 << 14));
    }

    @Test
    void givenAWaiter_whenTheEngineFails_thenItIsTold() throws InterruptedException {
        appendLsn.addAndGet(space.ageLimit());
        CountDownLatch waiting = new CountDownLatch(1);
        space.onPressure(waiting::countDown);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread waiter = start(() -> space.acquire(GROUP, Long.MAX_VALUE), failure);
        waiting.await();

        health.fail(new IllegalStateException("planned"));

        waiter.join();
        assertThat(failure.get()).isInstanceOf(EngineFailedException.class);
        assertThat(space.granted()).isZero();
    }

    @Test
    void givenRoomForOne_whenAnotherComesAndGoesWhileTheEndIsRead_thenTheyDoNotBothGetIt() {
        long limit = space.ageLimit();
        long charge = LogSpace.charge(GROUP);
        AtomicLong end = new AtomicLong(4160 + limit - charge);
        LogSpace[] raced = new LogSpace[1];
        AtomicInteger calls = new AtomicInteger();
        raced[0] =
                new LogSpace(
                        () -> {
                            long read = end.get();
                            if (calls.getAndIncrement() == 0) {
                                comeAndGo(raced[0], end);
                            }
                            return read;
                        },
                        4160,
                        OPTIONS,
                        health);

        try {
            raced[0].acquire(GROUP, System.nanoTime());
        } catch (LogSpaceTimeoutException theOtherGotIt) {
            assertThat(raced[0].granted()).isZero();
        }

        assertThat(end.get() + raced[0].granted() - 4160).isLessThanOrEqualTo(limit);
    }

    private static void comeAndGo(LogSpace space, AtomicLong end) {
        try {
            space.acquire(GROUP, System.nanoTime());
            end.addAndGet(LogSpace.charge(GROUP));
            space.release(GROUP);
        } catch (LogSpaceTimeoutException theFirstHasIt) {
            assertThat(space.granted()).isEqualTo(LogSpace.charge(GROUP));
        }
    }

    @Test
    void givenManyThreads_whenTheyAcquireAndRelease_thenTheSumNeverPassesTheLimit()
            throws InterruptedException {
        AtomicLong worst = new AtomicLong();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] =
                    start(
                            () -> {
                                for (int k = 0; k < 20_000; k++) {
                                    space.acquire(GROUP, Long.MAX_VALUE);
                                    long end = appendLsn.addAndGet(LogSpace.charge(GROUP));
                                    long age = end - space.checkpointLsn();
                                    worst.accumulateAndGet(age, Math::max);
                                    space.release(GROUP);
                                    if (k % 5 == 0) {
                                        space.checkpointAdvanced(end);
                                    }
                                }
                            },
                            null);
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(worst.get()).isLessThanOrEqualTo(space.ageLimit());
        assertThat(space.granted()).isZero();
    }

    private int acquireUntilFull() {
        int count = 0;
        try {
            while (count < 1000) {
                space.acquire(GROUP, System.nanoTime());
                count++;
            }
        } catch (LogSpaceTimeoutException full) {
            return count;
        }
        return count;
    }

    private static Thread start(Runnable work, AtomicReference<Throwable> failure) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (RuntimeException e) {
                                if (failure == null) {
                                    throw e;
                                }
                                failure.set(e);
                            }
                        });
        thread.start();
        return thread;
    }
}
