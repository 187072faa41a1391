// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.TestLatch.Storage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Latches allocate nothing, since they are taken where allocation is forbidden. */
final class AllocationTest {
    private static final int ROUNDS = 100_000;
    private static final int PARKS = 1_000;

    private static final int MODES = 5;
    private static final int UPGRADE = 0;
    private static final int GIVES_UP = 1;

    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();

    @ParameterizedTest
    @EnumSource
    void givenNobodyElse_whenALatchIsUsed_thenNothingIsAllocated(Storage storage) {
        TestLatch latch = storage.latch(site);
        useAlone(latch);

        long before = AllocatedBytes.ofThisThread();
        useAlone(latch);
        long allocated = AllocatedBytes.ofThisThread() - before;

        assertThat((double) allocated / ROUNDS).isLessThan(0.1);
    }

    private static void useAlone(TestLatch latch) {
        for (int round = 0; round < ROUNDS; round++) {
            latch.acquireShared();
            latch.releaseShared();
            latch.acquireExclusive();
            latch.releaseExclusive();
            latch.acquireUpdate();
            latch.upgradeToExclusive();
            latch.downgradeToUpdate();
            latch.downgradeToShared();
            latch.releaseShared();
            if (latch.tryAcquireUpdate(1)) {
                latch.releaseUpdate();
            }
            long version = latch.optimisticVersion();
            if (latch.validate(version) && latch.tryUpgradeToExclusive(version)) {
                latch.releaseExclusive();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenAHolder_whenAThreadParksAndIsWoken_thenNothingIsAllocated(Storage storage)
            throws Exception {
        site.counters().timing(WaitTiming.FULL);
        TestLatch latch = storage.latch(site);
        AtomicInteger turn = new AtomicInteger();
        AtomicLong allocated = new AtomicLong();
        threads.start(
                () -> {
                    long before = 0;
                    for (int round = 0; round < 2 * PARKS; round++) {
                        if (round <= PARKS) { // often, so that reflection is warm
                            before = AllocatedBytes.ofThisThread();
                        }
                        awaitTurn(turn, round);
                        latch.acquireExclusive();
                        latch.releaseExclusive();
                    }
                    allocated.set(AllocatedBytes.ofThisThread() - before);
                });

        for (int round = 0; round < 2 * PARKS; round++) {
            latch.acquireExclusive();
            turn.set(round + 1);
            long parks = round + 1L;
            threads.until(() -> site.counters().parks() >= parks);
            latch.releaseExclusive();
            threads.until(() -> site.counters().waits().count() >= parks);
        }

        threads.join();
        assertThat((double) allocated.get() / PARKS).isLessThan(4);
    }

    @Test
    void givenAFullGate_whenAThreadSleepsBeforeItAgainAndAgain_thenNothingIsAllocated()
            throws Exception {
        site.counters().timing(WaitTiming.FULL);
        AdmissionGate gate = new AdmissionGate(site, 1);
        AtomicInteger turn = new AtomicInteger();
        AtomicLong allocated = new AtomicLong();
        BooleanSupplier never = () -> false;
        threads.start(
                () -> {
                    long before = 0;
                    for (int round = 0; round < 2 * PARKS; round++) {
                        if (round <= PARKS) { // often, so that reflection is warm
                            before = AllocatedBytes.ofThisThread();
                        }
                        awaitTurn(turn, round);
                        gate.enter(round % 8, Long.MAX_VALUE, never);
                        gate.leave();
                    }
                    allocated.set(AllocatedBytes.ofThisThread() - before);
                });

        for (int round = 0; round < 2 * PARKS; round++) {
            long parks = round + 1L;
            threads.until(gate::tryEnter);
            turn.set(round + 1);
            threads.until(() -> site.counters().parks() >= parks);
            gate.leave();
        }

        threads.join();
        assertThat((double) allocated.get() / PARKS).isLessThan(4);
    }

    @ParameterizedTest
    @EnumSource
    void givenAHolder_whenAThreadParksInEachMode_thenNothingIsAllocated(Storage storage)
            throws Exception {
        site.counters().timing(WaitTiming.FULL);
        TestLatch latch = storage.latch(site);
        AtomicInteger turn = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        AtomicLong allocated = new AtomicLong();
        threads.start(
                () -> {
                    long before = 0;
                    for (int round = 0; round < 2 * PARKS; round++) {
                        if (round <= PARKS) { // often, so that reflection is warm
                            before = AllocatedBytes.ofThisThread();
                        }
                        awaitTurn(turn, round);
                        parkOnce(latch, round);
                        ended.set(round + 1);
                    }
                    allocated.set(AllocatedBytes.ofThisThread() - before);
                });

        for (int round = 0; round < 2 * PARKS; round++) {
            boolean shares = round % MODES == UPGRADE;
            if (shares) {
                latch.acquireShared();
            } else {
                latch.acquireExclusive();
            }
            long parksBefore = site.counters().parks();
            int ends = round + 1;
            turn.set(ends);
            if (round % MODES == GIVES_UP) {
                threads.until(() -> ended.get() == ends);
            } else {
                threads.until(() -> site.counters().parks() > parksBefore);
            }
            if (shares) {
                latch.releaseShared();
            } else {
                latch.releaseExclusive();
            }
            threads.until(() -> ended.get() == ends);
        }

        threads.join();
        assertThat((double) allocated.get() / PARKS).isLessThan(4);
    }

    private static void parkOnce(TestLatch latch, int round) {
        switch (round % MODES) {
            case UPGRADE -> {
                latch.acquireUpdate();
                latch.upgradeToExclusive();
                latch.releaseExclusive();
            }
            case GIVES_UP -> latch.tryAcquireExclusive(1);
            case 2 -> {
                latch.acquireShared();
                latch.releaseShared();
            }
            case 3 -> {
                latch.acquireUpdate();
                latch.releaseUpdate();
            }
            default -> {
                if (latch.tryAcquireUpdate(Long.MAX_VALUE - 1)) {
                    latch.releaseUpdate();
                }
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // an event would allocate
    private static void awaitTurn(AtomicInteger turn, int round) {
        while (turn.get() <= round) {
            Thread.yield();
        }
    }
}
