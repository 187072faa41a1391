// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If a planted fault were not seen, the tests that plant it would prove nothing. */
final class TestHooksTest {
    private final AtomicInteger count = new AtomicInteger();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenAnAction_whenItsPointIsReached_thenItRunsAndNoOtherDoes() {
        TestHooks.onReached("one", count::incrementAndGet);

        TestHooks.reached("one");
        TestHooks.reached("other");

        assertThat(count).hasValue(1);
    }

    @Test
    void givenAFaultPlanted_whenAsked_thenOnlyThatOneIsThereUntilReset() {
        TestHooks.plant(PlantedFault.LOSER_KEPT);

        assertThat(TestHooks.fault(PlantedFault.LOSER_KEPT)).isTrue();
        assertThat(TestHooks.fault(PlantedFault.NO_WRITE_AHEAD)).isFalse();

        TestHooks.unplant(PlantedFault.LOSER_KEPT);
        assertThat(TestHooks.fault(PlantedFault.LOSER_KEPT)).isFalse();
        TestHooks.plant(PlantedFault.LOSER_KEPT);
        TestHooks.reset();
        assertThat(TestHooks.fault(PlantedFault.LOSER_KEPT)).isFalse();
    }

    @Test
    void givenAPause_whenThreadsReachIt_thenOnlyTheFirstStopsUntilResumed() throws Exception {
        TestThreads threads = new TestThreads();
        try (TestHooks.Pause pause = TestHooks.pauseAt("here")) {
            threads.start(
                    () -> {
                        TestHooks.reached("here");
                        count.incrementAndGet();
                    });
            pause.awaitReached();

            TestHooks.reached("here");

            assertThat(pause.isReached()).isTrue();
            assertThat(count).hasValue(0);
        }
        threads.join();
        assertThat(count).hasValue(1);
    }

    @Test
    void givenAPauseClosed_whenThePointIsReached_thenNobodyStops() {
        TestHooks.pauseAt("here").close();

        TestHooks.reached("here");

        assertThat(count).hasValue(0);
    }
}
