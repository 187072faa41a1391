// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.AdmissionGate.Entry;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Many threads at one gate: the limit must hold, no ticket may be lost and nobody may hang. */
final class AdmissionGateStressTest {
    private static final int ROUNDS = Boolean.getBoolean("holdfast.soak") ? 300_000 : 6_000;
    private static final int LIMIT_MAX = 3;
    private static final int THREADS = 8;

    private final FreshSite site = new FreshSite();
    private final AdmissionGate gate = new AdmissionGate(site, LIMIT_MAX);
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicLong admitted = new AtomicLong();
    private final TestThreads threads = new TestThreads();

    @Test
    void givenManyThreads_whenTheyComeWithAllKindsOfLimits_thenTheGateHoldsAndIsEmptyAtTheEnd()
            throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < THREADS; i++) {
            int seed = i;
            threads.start(() -> enterAndLeave(new Random(seed), stop::get));
        }
        AtomicBoolean ended = new AtomicBoolean();
        Thread changer =
                new Thread(
                        () -> {
                            for (int i = 0; !ended.get(); i++) {
                                gate.limit(1 + i % LIMIT_MAX);
                                stop.set(i % 7 == 0);
                                gate.wakeAll();
                                Thread.onSpinWait();
                            }
                        });
        changer.setDaemon(true);
        changer.start();

        threads.join();
        ended.set(true);
        changer.join();

        assertThat(admitted.get()).isPositive();
        assertThat(gate.inside()).isZero();
        assertThat(gate.waiting()).isZero();
        gate.limit(1);
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
    }

    @Test
    void givenNoLimitOfTime_whenManyThreadsEnter_thenAllGetInEachTime() throws Exception {
        BooleanSupplier never = () -> false;
        for (int i = 0; i < THREADS; i++) {
            int priority = i % (AdmissionGate.PRIORITY_MAX + 1);
            threads.start(
                    () -> {
                        for (int round = 0; round < ROUNDS; round++) {
                            if (gate.enter(priority, Long.MAX_VALUE, never) != Entry.ADMITTED) {
                                throw new AssertionError("not admitted");
                            }
                            beInside();
                        }
                    });
        }

        threads.join();

        assertThat(admitted.get()).isEqualTo((long) THREADS * ROUNDS);
        assertThat(gate.inside()).isZero();
    }

    private void enterAndLeave(Random random, BooleanSupplier stop) {
        for (int round = 0; round < ROUNDS; round++) {
            long timeoutNanos = random.nextBoolean() ? random.nextInt(50_000) : Long.MAX_VALUE;
            int priority = random.nextInt(AdmissionGate.PRIORITY_MAX + 1);
            if (gate.enter(priority, timeoutNanos, stop) == Entry.ADMITTED) {
                beInside();
            }
        }
    }

    private void beInside() {
        int count = inside.incrementAndGet();
        if (count > LIMIT_MAX) {
            throw new AssertionError("limit exceeded: inside=" + count);
        }
        admitted.incrementAndGet();
        for (int i = 0; i < 20; i++) {
            Thread.onSpinWait();
        }
        inside.decrementAndGet();
        gate.leave();
    }
}
