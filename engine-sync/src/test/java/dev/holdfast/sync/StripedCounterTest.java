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
        StripedCells cells = new StripedCells(2);

        assertThat(cells.getAndAdd(1, 5)).isZero();
        assertThat(cells.getAndAdd(1, -2)).isEqualTo(5);

        assertThat(cells.sum(1)).isEqualTo(3);
        assertThat(cells.sum(0)).isZero();
    }

    @Test
    void givenThreads_whenTheyCount_thenTheyDoNotAllShareACell() throws Exception {
        StripedCells cells = new StripedCells(1);
        TestThreads threads = new TestThreads();
        AtomicInteger firstInTheirs = new AtomicInteger();
        for (int i = 0; i < 16; i++) {
            threads.start(() -> firstInTheirs.addAndGet(cells.getAndAdd(0, 1) == 0 ? 1 : 0));
        }

        threads.join();

        assertThat(firstInTheirs).hasValueGreaterThan(1);
        assertThat(cells.sum(0)).isEqualTo(16);
    }

    @Test
    void givenProcessors_whenStriped_thenTheCountIsAPowerOfTwoWithinTheLimit() {
        assertThat(StripedCells.stripes(1)).isEqualTo(2);
        assertThat(StripedCells.stripes(2)).isEqualTo(4);
        assertThat(StripedCells.stripes(3)).isEqualTo(8);
        assertThat(StripedCells.stripes(32)).isEqualTo(64);
        assertThat(StripedCells.stripes(1000)).isEqualTo(64);
    }
}
