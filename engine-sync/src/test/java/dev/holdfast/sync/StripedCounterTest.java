// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A counter that loses increments makes every report a lie. */
final class StripedCounterTest {
    private static final int ROUNDS = 400_000;

    @Test
    void givenManyThreads_whenTheyCount_thenTheSumIsExact() throws Exception {
        StripedCounter counter = new StripedCounter();
        TestThreads threads = new TestThreads();
        AtomicInteger ready = new AtomicInteger();
        for (int i = 0; i < 8; i++) {
            threads.start(
                    () -> {
                        ready.incrementAndGet();
                        threads.until(() -> ready.get() == 8);
                        for (int round = 0; round < ROUNDS; round++) {
                            counter.increment();
                            counter.add(2);
                        }
                    });
        }

        threads.join();

        assertThat(counter.sum()).isEqualTo(8L * ROUNDS * 3);
    }

    @Test
    void givenOneThread_whenItAdds_thenItSeesWhatItsStripeHeld() {
        StripedCounter counter = new StripedCounter();

        assertThat(counter.addToCell(5)).isZero();
        assertThat(counter.addToCell(-2)).isEqualTo(5);

        assertThat(counter.sum()).isEqualTo(3);
    }

    @Test
    void givenProcessors_whenStriped_thenTheCountIsAPowerOfTwoWithinTheLimit() {
        assertThat(StripedCounter.stripes(1)).isEqualTo(2);
        assertThat(StripedCounter.stripes(2)).isEqualTo(4);
        assertThat(StripedCounter.stripes(3)).isEqualTo(8);
        assertThat(StripedCounter.stripes(32)).isEqualTo(64);
        assertThat(StripedCounter.stripes(1000)).isEqualTo(64);
    }
}
