// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Range;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoUser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * If this failed, purge would take the device from the cleaner, or be held up for what it does not
 * read, or let history grow for the sake of a budget.
 */
final class PurgeBudgetTest {
    private static final int PAGES_PER_SECOND = 4 * PurgeBudget.CHUNK_PAGES;
    private static final long DISTANCE_MAX = 1000;
    private static final int ROWS = 1500;
    private static final int OTHER_ROWS = 14_000;

    private long now;
    private final IoCapacity capacity = new IoCapacity(PAGES_PER_SECOND, () -> now);
    private final Counters counters = new Counters();
    private final PurgeBudget budget = new PurgeBudget(capacity, DISTANCE_MAX, counters);

    private void takeAll() {
        while (capacity.tryTake(IoUser.CLEANER, 1)) {}
    }

    @Test
    void givenNoBudget_whenNothingIsRead_thenPurgeGoesOn() {
        takeAll();

        for (int i = 0; i < 1000; i++) {
            assertThat(budget.mayGoOn(0)).isTrue();
        }

        assertThat(capacity.taken(IoUser.PURGE)).isZero();
    }

    @Test
    void givenPagesRead_whenTheBudgetHasThem_thenTheyArePaidForAFewAtATime() {
        budget.wereRead(1);

        assertThat(budget.mayGoOn(0)).isTrue();
        budget.wereRead(PurgeBudget.CHUNK_PAGES);
        assertThat(budget.mayGoOn(0)).isTrue();

        assertThat(capacity.taken(IoUser.PURGE)).isEqualTo(1 + PurgeBudget.CHUNK_PAGES);
    }

    @Test
    void givenNoBudget_whenPagesWereRead_thenPurgePausesUntilThereIsSome() {
        takeAll();
        budget.wereRead(1);

        assertThat(budget.mayGoOn(DISTANCE_MAX)).isFalse();
        assertThat(budget.mayGoOn(DISTANCE_MAX)).isFalse();
        assertThat(counters.sum(Counter.PURGE_BUDGET_PAUSES)).isEqualTo(2);

        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(budget.mayGoOn(DISTANCE_MAX)).isTrue();
        assertThat(counters.sum(Counter.PURGE_PAGES_OVERDRAWN)).isZero();
    }

    @Test
    void givenNoBudget_whenHistoryIsFarBehind_thenPurgeOverdraws() {
        takeAll();
        budget.wereRead(3);

        assertThat(budget.mayGoOn(DISTANCE_MAX + 1)).isTrue();

        assertThat(counters.sum(Counter.PURGE_PAGES_OVERDRAWN))
                .isEqualTo(3 + PurgeBudget.CHUNK_PAGES);
        // What is owed is a bucket at most.
        assertThat(capacity.waitNanos(IoUser.CLEANER, 1))
                .isEqualTo(
                        TimeUnit.SECONDS.toNanos(PurgeBudget.CHUNK_PAGES + 1) / PAGES_PER_SECOND);
    }

    @Test
    void givenDeletedRowsThatLeftThePool_whenPurged_thenNoFasterThanTheBudget() throws IOException {
        try (TransactionFixture engine = TransactionFixture.small()) {
            deleteAndEvict(engine);
            Purge purge = engine.newPurge(1 << 20, capacity);
            takeAll();

            runAll(purge);
            long first = engine.count(Counter.ROWS_PURGED);
            runAll(purge);

            assertThat(first).isLessThan(ROWS);
            assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(first);
            assertThat(engine.count(Counter.PURGE_BUDGET_PAUSES)).isEqualTo(2);
            for (int seconds = 0; seconds < 1000 && isLeft(engine); seconds++) {
                now += TimeUnit.SECONDS.toNanos(1);
                runAll(purge);
            }
            assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(ROWS);
            assertThat(engine.count(Counter.PURGE_PAGES_OVERDRAWN)).isZero();
        }
    }

    @Test
    void givenUpdatesWhoseUndoLeftThePool_whenPurged_thenItsPagesArePaidFor() throws IOException {
        try (TransactionFixture engine = TransactionFixture.small()) {
            TableHandle table = engine.table("t");
            put(engine, table, ROWS);
            engine.purgeAll();
            put(engine, table, ROWS);
            put(engine, engine.table("other"), OTHER_ROWS);
            Purge purge = engine.newPurge(1 << 20, capacity);

            for (int seconds = 0; seconds < 1000; seconds++) {
                now += TimeUnit.SECONDS.toNanos(1);
                runAll(purge);
            }

            assertThat(capacity.taken(IoUser.PURGE)).isPositive();
            assertThat(engine.system.historyWaiting()).isZero();
        }
    }

    @Test
    void givenALittleHistoryAllowed_whenThereIsMore_thenItIsPurgedWithoutBudget()
            throws IOException {
        try (TransactionFixture engine = TransactionFixture.small()) {
            deleteAndEvict(engine);
            Purge purge = engine.newPurge(2, capacity);
            takeAll();

            runAll(purge);

            assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(ROWS);
            assertThat(engine.count(Counter.PURGE_PAGES_OVERDRAWN)).isPositive();
        }
    }

    /** Rows that are deleted, and then more pages of another table than there are frames. */
    private static void deleteAndEvict(TransactionFixture engine) {
        TableHandle table = engine.table("t");
        TableHandle other = engine.table("other");
        put(engine, table, ROWS);
        engine.purgeAll();
        try (Transaction deletes = engine.begin()) {
            deletes.deleteRange(table, Range.all());
            deletes.commit();
        }
        put(engine, other, OTHER_ROWS);
    }

    private static void put(TransactionFixture engine, TableHandle table, int rows) {
        for (int from = 0; from < rows; from += 500) {
            try (Transaction puts = engine.begin()) {
                for (int i = from; i < from + 500; i++) {
                    byte[] key = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
                    puts.put(table, key, new byte[100]);
                }
                puts.commit();
            }
        }
    }

    private static boolean isLeft(TransactionFixture engine) {
        return engine.count(Counter.ROWS_PURGED) < ROWS;
    }

    private static void runAll(Purge purge) throws IOException {
        boolean isWorkLeft = true;
        while (isWorkLeft) {
            isWorkLeft = purge.run();
        }
    }
}
