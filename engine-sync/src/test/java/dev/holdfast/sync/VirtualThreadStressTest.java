// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.sync.TestLatch.Storage;
import java.lang.reflect.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many virtual threads on one latch, where the JDK has them. If a wait pinned its carrier, threads
 * that wait would keep the holder from running, and the test would hang.
 */
final class VirtualThreadStressTest {
    private static final int THREADS = 500;
    private static final int ROUNDS = 200;

    private long guarded;

    @ParameterizedTest
    @EnumSource
    void givenManyVirtualThreads_whenTheyYieldUnderTheLatch_thenAllEndAndNoCountIsLost(
            Storage storage) throws Exception {
        Method startVirtualThread = startVirtualThread();
        assumeTrue(startVirtualThread != null, "this JDK has no virtual threads");
        TestLatch latch = storage.latch(new FreshSite());
        CountDownLatch ended = new CountDownLatch(THREADS);
        AtomicReference<Throwable> failure = new AtomicReference<>();

        for (int i = 0; i < THREADS; i++) {
            Runnable body = () -> count(latch, failure, ended);
            startVirtualThread.invoke(null, body);
        }

        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(failure).hasNullValue();
        assertThat(guarded).isEqualTo((long) THREADS * ROUNDS);
    }

    @SuppressWarnings({"CatchingUnchecked", "ThreadPriorityCheck"}) // report; unmount the holder
    private void count(TestLatch latch, AtomicReference<Throwable> failure, CountDownLatch ended) {
        try {
            for (int round = 0; round < ROUNDS; round++) {
                becomeExclusive(latch, round);
                guarded++;
                if (round % 50 == 0) {
                    Thread.yield();
                }
                latch.releaseExclusive();
            }
        } catch (Throwable thrown) {
            failure.set(thrown);
        } finally {
            ended.countDown();
        }
    }

    private static void becomeExclusive(TestLatch latch, int round) {
        if (round % 3 == 0) {
            latch.acquireExclusive();
        } else if (round % 3 == 1) {
            latch.acquireUpdate();
            latch.upgradeToExclusive();
        } else if (!latch.tryAcquireExclusive(TimeUnit.MINUTES.toNanos(1))) {
            throw new AssertionError("not acquired within a minute");
        }
    }

    private static Method startVirtualThread() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException tooOld) {
            return null;
        }
    }
}
