// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.DiskFullException;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, background work would not start, not end, or fail unnoticed. */
final class BackgroundAgentTest {
    private static final long LONG_PAUSE = TimeUnit.HOURS.toNanos(1);
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    private final EngineHealth health = new EngineHealth();

    @AfterEach
    void takeHooksBack() {
        TestHooks.reset();
    }

    @Test
    void givenALongPause_whenWoken_thenTheNextRoundBeginsAtOnce() throws Exception {
        CountDownLatch twoRounds = new CountDownLatch(2);
        CountDownLatch firstRound = new CountDownLatch(1);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test",
                        health,
                        LONG_PAUSE,
                        () -> {
                            firstRound.countDown();
                            twoRounds.countDown();
                            return false;
                        });
        agent.start();
        assertThat(firstRound.await(20, TimeUnit.SECONDS)).isTrue();

        agent.wake();

        assertThat(twoRounds.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(agent.stop(LIMIT)).isTrue();
        assertThat(agent.rounds()).isEqualTo(2);
    }

    @Test
    void givenWorkLeft_whenARoundEnds_thenTheNextFollows() {
        AtomicInteger left = new AtomicInteger(5);
        CountDownLatch done = new CountDownLatch(1);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test",
                        health,
                        LONG_PAUSE,
                        () -> {
                            if (left.decrementAndGet() == 0) {
                                done.countDown();
                                return false;
                            }
                            return true;
                        });

        agent.start();
        awaitZero(done);

        assertThat(agent.stop(LIMIT)).isTrue();
        assertThat(left.get()).isZero();
    }

    @Test
    void givenABodyThatThrows_whenRun_thenTheEngineFailsAndTheThreadEnds() {
        IOException thrown = new IOException("planned");
        CountDownLatch failed = new CountDownLatch(1);
        health.onFailure(failed::countDown);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test",
                        health,
                        LONG_PAUSE,
                        () -> {
                            throw thrown;
                        });

        agent.start();
        awaitZero(failed);

        assertThat(health.cause()).isSameAs(thrown);
        assertThat(agent.stop(LIMIT)).isTrue();
    }

    @Test
    void givenAnError_whenTheAgentsWorkThrowsIt_thenTheEngineFailsAndTheThreadEnds() {
        Error thrown = new StackOverflowError("planned");

        failsWith(
                thrown,
                () -> LONG_PAUSE,
                () -> {
                    throw thrown;
                });
    }

    @Test
    void givenAnError_whenTheQuestionForThePauseThrowsIt_thenTheEngineFails() {
        Error thrown = new NoClassDefFoundError("planned");

        failsWith(
                thrown,
                () -> {
                    throw thrown;
                },
                () -> false);
    }

    @Test
    void givenAnError_whenThePauseThrowsIt_thenTheEngineFails() {
        assumeTrue(TestHooks.ENABLED);
        Error thrown = new NoClassDefFoundError("planned");
        TestHooks.onReached(
                BackgroundAgent.PAUSING,
                () -> {
                    throw thrown;
                });

        failsWith(thrown, () -> LONG_PAUSE, () -> false);
    }

    @Test
    void givenARoundWithoutMemory_whenItsBackOffThrowsToo_thenTheEngineFails() {
        assumeTrue(TestHooks.ENABLED);
        Error thrown = new OutOfMemoryError("planned, in the back-off");
        TestHooks.onReached(
                BackgroundAgent.PAUSING,
                () -> {
                    throw thrown;
                });

        failsWith(
                thrown,
                () -> LONG_PAUSE,
                () -> {
                    throw new OutOfMemoryError("planned");
                });
    }

    @Test
    void givenWakersThatThrow_whenTheAgentsWorkThrows_thenTheRestIsWokenAndTheThreadEnds() {
        Error thrown = new StackOverflowError("planned");
        health.onFailure(
                () -> {
                    throw new OutOfMemoryError("planned, in a waker");
                });
        health.onFailure(
                () -> {
                    throw thrown;
                });

        failsWith(
                thrown,
                () -> LONG_PAUSE,
                () -> {
                    throw thrown;
                });
    }

    private void failsWith(Error thrown, LongSupplier pause, BackgroundAgent.Body body) {
        CountDownLatch failed = new CountDownLatch(1);
        health.onFailure(failed::countDown);
        BackgroundAgent agent = new BackgroundAgent("test", health, pause, body);

        agent.start();
        awaitZero(failed);

        assertThat(health.cause()).isSameAs(thrown);
        assertThat(agent.stop(LIMIT)).isTrue();
    }

    @Test
    void givenARoundWithoutMemory_whenRun_thenItIsTriedAgainAndTheEngineGoesOn() {
        AtomicInteger rounds = new AtomicInteger();
        CountDownLatch recovered = new CountDownLatch(1);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test",
                        health,
                        LONG_PAUSE,
                        () -> {
                            if (rounds.incrementAndGet() == 1) {
                                throw new OutOfMemoryError("planned");
                            }
                            recovered.countDown();
                            return false;
                        });

        agent.start();
        awaitZero(recovered);

        assertThat(health.failed()).isFalse();
        assertThat(agent.stop(LIMIT)).isTrue();
    }

    @Test
    void givenARoundThatFindsTheDiskFull_whenRun_thenItIsTriedAgainAndTheEngineGoesOn() {
        AtomicInteger rounds = new AtomicInteger();
        AtomicReference<Exception> noted = new AtomicReference<>();
        DiskFullException full = new DiskFullException("f", 1, null);
        CountDownLatch recovered = new CountDownLatch(1);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test",
                        health,
                        LONG_PAUSE,
                        () -> {
                            if (rounds.incrementAndGet() == 1) {
                                throw full;
                            }
                            noted.compareAndSet(null, health.outOfRoom());
                            if (health.outOfRoom() == null) {
                                recovered.countDown();
                            }
                            return rounds.get() == 2;
                        });

        agent.start();
        awaitZero(recovered);

        assertThat(health.failed()).isFalse();
        assertThat(noted.get()).isSameAs(full);
        assertThat(health.noRoomMet()).isEqualTo(1);
        assertThat(agent.stop(LIMIT)).isTrue();
    }

    @Test
    void givenAnAgent_whenStarted_thenItsThreadIsANamedDaemon() {
        AtomicReference<Thread> seen = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "sweeper",
                        health,
                        LONG_PAUSE,
                        () -> {
                            seen.set(Thread.currentThread());
                            ran.countDown();
                            return false;
                        });

        agent.start();
        awaitZero(ran);

        assertThat(seen.get().getName()).isEqualTo("holdfast-sweeper");
        assertThat(seen.get().isDaemon()).isTrue();
        assertThat(agent.stop(LIMIT)).isTrue();
    }

    private static void awaitZero(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
