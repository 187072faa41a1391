// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls handed to other threads: what they throw, interrupts, limits, and the threads' end. */
@Timeout(60)
final class BlockingExecutorTest {

    private final BlockingExecutor executor = new BlockingExecutor(2, 1);

    @AfterEach
    void close() throws IOException {
        executor.close();
    }

    @Test
    void givenNoCall_whenAsked_thenThereIsNoThread() {
        assertThat(executor.threadCount()).isZero();
    }

    @Test
    void givenACall_whenItReturns_thenItRanOnANamedDaemonAndItsEffectsAreSeen() throws IOException {
        Thread[] ranOn = new Thread[1];

        executor.call(() -> ranOn[0] = Thread.currentThread());

        assertThat(ranOn[0]).isNotSameAs(Thread.currentThread());
        assertThat(ranOn[0].getName()).startsWith("holdfast-io-");
        assertThat(ranOn[0].isDaemon()).isTrue();
        assertThat(executor.threadCount()).isEqualTo(1);
    }

    @Test
    void givenWorkThatThrows_whenCalled_thenTheCallerGetsThatVeryThrowable() throws IOException {
        List<Throwable> thrown =
                List.of(
                        new IOException("planned"),
                        new IllegalStateException("planned"),
                        new StackOverflowError("planned"));
        for (Throwable failure : thrown) {

            assertThatThrownBy(() -> executor.call(() -> sneak(failure))).isSameAs(failure);
        }

        executor.call(() -> {});
    }

    @Test
    void givenAnInterruptWhileItWaits_whenTheWorkIsDone_thenTheCallReturnsWithTheFlag()
            throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicReference<String> outcome = new AtomicReference<>("none");
        Thread caller =
                new Thread(
                        () -> {
                            try {
                                executor.call(
                                        () -> {
                                            started.countDown();
                                            awaitQuietly(mayEnd);
                                        });
                                outcome.set("returned, flag=" + Thread.interrupted());
                            } catch (IOException e) {
                                outcome.set(e.toString());
                            }
                        });
        caller.start();
        started.await();

        caller.interrupt();
        while (caller.isInterrupted()) {
            Thread.onSpinWait(); // until it has taken the flag down, to park and not to spin
        }
        assertThat(outcome.get()).isEqualTo("none");
        mayEnd.countDown();
        caller.join();

        assertThat(outcome.get()).isEqualTo("returned, flag=true");
    }

    @Test
    void givenMoreCallersThanPlaces_whenAllCall_thenAllAreServedAndTheWaitIsCounted()
            throws Exception {
        int callers = 12;
        long waitsBefore = IoSites.IO_HAND_OVER.counters().contendedAcquires();
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger runningMost = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    executor.call(
                                            () -> {
                                                runningMost.accumulateAndGet(
                                                        running.incrementAndGet(), Math::max);
                                                awaitQuietly(mayEnd);
                                                running.decrementAndGet();
                                            });
                                    served.incrementAndGet();
                                } catch (IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            thread.start();
            threads.add(thread);
        }
        int places = 3;
        while (IoSites.IO_HAND_OVER.counters().contendedAcquires() - waitsBefore
                < callers - places) {
            Thread.onSpinWait();
        }

        mayEnd.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(served.get()).isEqualTo(callers);
        assertThat(runningMost.get()).isLessThanOrEqualTo(2);
    }

    @Test
    void givenAClosedExecutor_whenCalled_thenItRefusesAndItsThreadsAreGone() throws IOException {
        Thread[] ranOn = new Thread[1];
        executor.call(() -> ranOn[0] = Thread.currentThread());

        Thread.currentThread().interrupt();
        executor.close();
        boolean flagKept = Thread.interrupted();

        assertThat(flagKept).isTrue();
        assertThat(executor.threadCount()).isZero();
        assertThatThrownBy(() -> executor.call(() -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("IO threads are closed");
        assertThatCode(executor::close).doesNotThrowAnyException();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts an IO thread", e);
        }
    }

    private static void sneak(Throwable failure) throws IOException {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        throw (IOException) failure;
    }
}
