// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many threads at one barrier, led as a group commit is: a lost wake-up or lead hangs the test. */
final class SequenceBarrierStressTest {
    private static final int ROUNDS = Boolean.getBoolean("holdfast.soak") ? 500_000 : 10_000;

    private final SequenceBarrier barrier = new SequenceBarrier(new FreshSite());
    private final AtomicLong appended = new AtomicLong();
    private final AtomicLong durable = new AtomicLong();
    private final AtomicBoolean leadTaken = new AtomicBoolean();
    private final AtomicInteger leading = new AtomicInteger();
    private final TestThreads threads = new TestThreads();

    @Test
    void givenLeadersAndFollowers_whenAllCommit_thenEachReturnsDurableAndNoneHangs()
            throws Exception {
        for (int i = 0; i < 8; i++) {
            threads.start(
                    () -> {
                        for (int round = 0; round < ROUNDS; round++) {
                            commit();
                        }
                    });
        }

        threads.join();

        assertThat(durable.get()).isEqualTo(8L * ROUNDS);
        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
    }

    private void commit() {
        long target = appended.incrementAndGet();
        while (!barrier.await(target, durable::get, () -> leadTaken.compareAndSet(false, true))) {
            lead();
        }
        if (durable.get() < target) {
            throw new AssertionError("not durable: target=" + target);
        }
    }

    private void lead() {
        if (leading.incrementAndGet() != 1) {
            throw new AssertionError("two lead");
        }
        long covered = appended.get();
        for (int i = 0; i < 20; i++) {
            Thread.onSpinWait();
        }
        durable.set(covered);
        leading.decrementAndGet();
        leadTaken.set(false);
        barrier.advanced(covered);
        barrier.wakeFirst();
    }

    @Test
    void givenANumberThatOnlyOneThreadRaises_whenOthersFollowIt_thenNoneSleepsPastIt()
            throws Exception {
        int last = 4 * ROUNDS;
        for (int i = 0; i < 4; i++) {
            int step = i + 1;
            threads.start(
                    () -> {
                        for (long target = step; target <= last; target += step) {
                            if (!barrier.await(target, durable::get, () -> false)
                                    || durable.get() < target) {
                                throw new AssertionError("woken too early: target=" + target);
                            }
                        }
                    });
        }

        for (long value = 1; value <= last; value++) {
            durable.set(value);
            barrier.advanced(value);
        }

        threads.join();
        assertThat(barrier.lowestTarget()).isEqualTo(Long.MAX_VALUE);
    }
}
