// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.AdmissionTimeoutException;
import dev.holdfast.Engine;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.WaitInterruptedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * As many transactions as the options allow, the others wait. If this failed, too many would be let
 * in, or somebody would wait for ever.
 */
@ExtendWith(VerifyAfterTest.class)
final class AdmissionTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(20).toNanos();

    @Test
    void givenAllPlacesTaken_whenAnotherBegins_thenItTimesOutAndIsCounted(TestEngines engines) {
        Engine engine = engines.open(options(2, Duration.ofMillis(20)).build());
        Transaction first = engine.begin();
        Transaction second = engine.begin();

        assertThatThrownBy(engine::begin)
                .isInstanceOf(AdmissionTimeoutException.class)
                .hasMessageContaining("maxConcurrentTransactions=2");

        first.rollback();
        engine.begin().close();
        second.commit();
        assertThat(engine.status()).contains("waitingToBegin=0");
    }

    @Test
    void givenAllPlacesTaken_whenASnapshotIsWanted_thenItIsThereAtOnce(TestEngines engines) {
        Engine engine = engines.open(options(1, Duration.ZERO).build());
        Table table = engine.table("t");
        try (Transaction only = engine.begin();
                Snapshot now = engine.snapshot()) {
            only.put(table, key(1), key(1));

            assertThat(now.get(table, key(1))).isNull();
            assertThatThrownBy(engine::begin).isInstanceOf(AdmissionTimeoutException.class);
        }
    }

    @Test
    void givenOneThatWaits_whenTheFirstEnds_thenItGoesOn(TestEngines engines) throws Exception {
        Engine engine = engines.open(options(1, LONG).build());
        Transaction first = engine.begin();
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> engine.begin().close());
        awaitWaiting(engine);

        first.close();

        second.get(20, TimeUnit.SECONDS);
        assertThat(engine.status()).contains("waitingToBegin=0");
    }

    @Test
    void givenOneThatWaits_whenTheEngineCloses_thenItIsToldAndNothingHangs(TestEngines engines) {
        Engine engine = engines.open(options(1, LONG).build());
        Transaction abandoned = engine.begin();
        CompletableFuture<Transaction> second = CompletableFuture.supplyAsync(engine::begin);
        awaitWaiting(engine);

        engine.close();

        assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(EngineClosedException.class);
        assertThatCode(abandoned::close).doesNotThrowAnyException();
    }

    @Test
    void givenOneThatWaits_whenTheEngineFails_thenItIsTold(TestEngines engines) {
        Engine engine = engines.open(options(1, LONG).build());
        engines.unverified(engine);
        Transaction first = engine.begin();
        CompletableFuture<Transaction> second = CompletableFuture.supplyAsync(engine::begin);
        awaitWaiting(engine);

        ((EngineImpl) engine).storage().health().fail(new IllegalStateException("made up"));

        assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(EngineFailedException.class);
        assertThatCode(first::close).doesNotThrowAnyException();
    }

    @Test
    void givenOneThatWaits_whenInterrupted_thenTheWaitEndsAndTheFlagStays(TestEngines engines)
            throws Exception {
        Engine engine = engines.open(options(1, LONG).build());
        Transaction first = engine.begin();
        AtomicReference<Throwable> seen = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread waiter =
                new Thread(
                        () -> {
                            try {
                                engine.begin().close();
                            } catch (Throwable t) {
                                seen.set(t);
                            }
                            flag.set(Thread.currentThread().isInterrupted());
                        });
        waiter.start();
        awaitWaiting(engine);

        waiter.interrupt();

        waiter.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
        assertThat(seen.get()).isInstanceOf(WaitInterruptedException.class);
        assertThat(flag.get()).isTrue();
        first.close();
        engine.begin().close();
    }

    @Test
    void givenWorkThatIsNotLetIn_whenRunAgain_thenTheAttemptIsCounted(TestEngines engines) {
        Engine engine = engines.open(options(1, Duration.ZERO).writeAttempts(3).build());
        try (Transaction only = engine.begin()) {
            assertThat(only).isNotNull();

            assertThatThrownBy(() -> engine.write(transaction -> null))
                    .isInstanceOf(AdmissionTimeoutException.class);
        }

        assertThat(engine.status()).contains("db.WRITE_RETRIES_ADMISSION=2 ");
        assertThat(engine.<String>write(transaction -> "done")).isEqualTo("done");
    }

    @Test
    void givenManyThreads_whenTheyBeginAndEnd_thenNeverMoreThanAllowedAreActive(TestEngines engines)
            throws Exception {
        Engine engine = engines.open(options(3, LONG).build());
        Table table = engine.table("t");
        AtomicInteger active = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int row = i;
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (int round = 0; round < 200; round++) {
                                    Transaction one = engine.begin();
                                    most.accumulateAndGet(active.incrementAndGet(), Math::max);
                                    one.put(table, key(row), key(round));
                                    active.decrementAndGet();
                                    if (round % 3 == 0) {
                                        one.rollback();
                                    } else {
                                        one.commit();
                                    }
                                }
                            },
                            command -> new Thread(command).start()));
        }
        for (CompletableFuture<Void> thread : threads) {
            thread.get(60, TimeUnit.SECONDS);
        }

        assertThat(most.get()).isBetween(1, 3);
        for (int i = 0; i < 3; i++) {
            engine.begin();
        }
        assertThat(engine.status()).contains("waitingToBegin=0");
    }

    private static EngineOptions.Builder options(int transactions, Duration timeout) {
        return TestEngines.small()
                .maxConcurrentTransactions(transactions)
                .admissionTimeout(timeout);
    }

    private static byte[] key(int row) {
        return ("key-" + row).getBytes(UTF_8);
    }

    private static void awaitWaiting(Engine engine) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!engine.status().contains("waitingToBegin=1")) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
