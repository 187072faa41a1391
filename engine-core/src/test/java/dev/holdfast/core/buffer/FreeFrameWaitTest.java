// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DiskFullException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** If this failed, who wants a frame would sleep for ever, or for long where no room comes. */
@Timeout(30)
final class FreeFrameWaitTest {
    private static final int NOTHING = -1;

    private final EngineHealth health = new EngineHealth();
    private final FreeFrameWait wait = new FreeFrameWait(health);
    private final AtomicInteger frame = new AtomicInteger(NOTHING);
    private final AtomicInteger wakes = new AtomicInteger();

    @Test
    void givenPagesThatFindNoRoom_whenAFrameIsWanted_thenTheWaitIsShortAndSaysWhy() {
        IOException refusal = new IOException("No space left on device");
        health.roomWait().refused(refusal);
        long timeOuts = CoreSites.FREE_FRAME.counters().timeouts();

        assertThatThrownBy(this::take).isInstanceOf(DiskFullException.class).hasCause(refusal);

        assertThat(wakes.get()).as("the cleaner was asked").isPositive();
        assertThat(wait.waiting()).isZero();
        assertThat(CoreSites.FREE_FRAME.counters().timeouts()).isGreaterThan(timeOuts);
    }

    @Test
    void givenOneThatWaits_whenAFrameIsFreed_thenItHasIt() throws Exception {
        TestThread<Integer> waiter = TestThread.start(this::take);
        waiter.awaitParked();

        frame.set(7);
        wait.freedOne();

        assertThat(waiter.result()).isEqualTo(7);
        assertThat(wait.waiting()).isZero();
    }

    @Test
    void givenOneThatWaits_whenTheEngineFails_thenItIsTold() throws Exception {
        TestThread<Throwable> waiter =
                TestThread.start(
                        () -> {
                            try {
                                take();
                                return null;
                            } catch (EngineFailedException told) {
                                return told;
                            }
                        });
        waiter.awaitParked();

        health.fail(new IOException("planned"));

        assertThat(waiter.result()).hasRootCauseMessage("planned");
    }

    private int take() {
        return wait.await(frame::get, wakes::incrementAndGet);
    }
}
