// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.RetryableException;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Transfers between accounts from several threads with a pool and a transaction table that are far
 * too small, while purge runs and snapshots add the accounts up. If this failed, some reader would
 * have seen half a transaction, or a version that is not its own.
 */
@ExtendWith(SeedExtension.class)
final class TransactionStressTest {
    private static final int ACCOUNTS = 400;
    private static final long SUM = ACCOUNTS * 1000L;
    private static final int THREADS = 4;

    @Test
    void givenTransfersOnASmallPool_whenSummedInSnapshots_thenTheSumStays(SeededRandom random)
            throws Exception {
        try (TransactionFixture engine =
                new TransactionFixture(4096, 64, 16, Duration.ofMillis(100))) {
            TableHandle table = engine.table("accounts");
            load(engine, table);
            AtomicBoolean stop = new AtomicBoolean();
            ExecutorService threads = Executors.newCachedThreadPool();
            List<Future<?>> running = new ArrayList<>();
            CountDownLatch someEnded = new CountDownLatch(1);
            for (int i = 0; i < THREADS; i++) {
                SeededRandom own = random.derive("transfer-" + i);
                running.add(
                        submit(threads, someEnded, () -> transferUntil(engine, table, stop, own)));
            }
            running.add(submit(threads, someEnded, () -> sumUntil(engine, table, stop)));
            running.add(submit(threads, someEnded, () -> purgeUntil(engine, stop)));

            int seconds = SeedExtension.everydayOrSoak(4, 60);
            boolean early = someEnded.await(seconds, TimeUnit.SECONDS);
            stop.set(true);
            for (Future<?> future : running) {
                future.get(30, TimeUnit.SECONDS);
            }
            threads.shutdown();

            assertThat(early).isFalse();
            try (Snapshot now = engine.snapshot()) {
                assertThat(sum(now, table)).isEqualTo(SUM);
            }
            var counters = engine.under.under.counters;
            assertThat(counters.sum(Counter.COMMITS)).isPositive();
            assertThat(counters.sum(Counter.ROLLBACKS)).isPositive();
            assertThat(counters.sum(Counter.VERSIONS_FOLLOWED)).isPositive();
            assertThat(counters.sum(Counter.ROWS_PURGED)).isPositive();
            assertThat(counters.sum(Counter.PAGES_EVICTED)).isPositive();
            assertThat(counters.sum(Counter.OVERFLOW_CHAINS_PURGED)).isPositive();
        }
    }

    /** Runs it; if it ends, by an error or too early, the test need not wait any longer. */
    private static Future<?> submit(
            ExecutorService threads, CountDownLatch someEnded, Runnable task) {
        return threads.submit(
                () -> {
                    try {
                        task.run();
                    } finally {
                        someEnded.countDown();
                    }
                });
    }

    private static void load(TransactionFixture engine, TableHandle table) {
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < ACCOUNTS; i++) {
                setup.put(table, key(i), value(1000, i % 7 * 300));
            }
            setup.commit();
        }
    }

    private static void transferUntil(
            TransactionFixture engine, TableHandle table, AtomicBoolean stop, SeededRandom random) {
        while (!stop.get()) {
            Isolation isolation =
                    random.nextInt(4) == 0 ? Isolation.READ_COMMITTED : Isolation.SNAPSHOT;
            try (Transaction transaction = engine.begin(isolation)) {
                int from = random.nextInt(ACCOUNTS);
                int to = random.nextInt(ACCOUNTS);
                if (from != to) {
                    transfer(transaction, table, from, to, random);
                }
                if (random.nextInt(10) == 0) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                }
            } catch (RetryableException lost) {
                // Another was first: the transaction is rolled back, the sum stays.
                assertThat(lost).hasMessageNotContaining("null");
            }
        }
    }

    /** Compare and set, so that READ_COMMITTED keeps the sum too. */
    private static void transfer(
            Transaction transaction, TableHandle table, int from, int to, SeededRandom random) {
        byte[] oldFrom = transaction.get(table, key(from));
        byte[] oldTo = transaction.get(table, key(to));
        long amount = random.nextInt(10);
        int padding = random.nextInt(40) == 0 ? 5000 : random.nextInt(600);
        boolean moved =
                transaction.update(
                                table,
                                key(from),
                                oldFrom,
                                value(amountOf(oldFrom) - amount, padding))
                        && transaction.update(
                                table, key(to), oldTo, value(amountOf(oldTo) + amount, padding));
        if (!moved) {
            throw new dev.holdfast.WriteConflictException(table.name(), key(from));
        }
        if (random.nextInt(5) == 0) {
            byte[] again = transaction.get(table, key(from));
            transaction.delete(table, key(from));
            transaction.insert(table, key(from), again);
        }
        if (random.nextInt(3) == 0) {
            byte[] extra = key(ACCOUNTS + random.nextInt(ACCOUNTS));
            if (!transaction.delete(table, extra)) {
                transaction.put(table, extra, value(0, random.nextInt(900)));
            }
        }
    }

    private static void sumUntil(TransactionFixture engine, TableHandle table, AtomicBoolean stop) {
        while (!stop.get()) {
            try (Snapshot now = engine.snapshot()) {
                assertThat(sum(now, table)).isEqualTo(SUM);
                assertThat(sumByGet(now, table)).isEqualTo(SUM);
            }
        }
    }

    private static void purgeUntil(TransactionFixture engine, AtomicBoolean stop) {
        while (!stop.get()) {
            if (!engine.purgeOne()) {
                Thread.onSpinWait();
            }
        }
    }

    private static long sum(Snapshot view, TableHandle table) {
        long sum = 0;
        try (Cursor cursor = view.cursor(table, Range.all())) {
            while (cursor.next()) {
                sum += amountOf(cursor.value());
            }
        }
        return sum;
    }

    private static long sumByGet(Snapshot view, TableHandle table) {
        long sum = 0;
        for (int i = 0; i < ACCOUNTS; i++) {
            sum += amountOf(view.get(table, key(i)));
        }
        return sum;
    }

    private static byte[] key(int account) {
        return ByteBuffer.allocate(8).putInt(account * 7919).putInt(account).array();
    }

    private static byte[] value(long amount, int padding) {
        return ByteBuffer.allocate(8 + padding).putLong(amount).array();
    }

    private static long amountOf(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }
}
