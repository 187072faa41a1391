// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** If this failed, a burst of history would leave a large file for ever. */
final class UndoTruncationTest {
    private static final int ROWS = 200;

    @Test
    void givenHistoryHeldByASnapshot_whenItIsReleased_thenTheUndoSpacesShrink() {
        try (TransactionFixture engine = TransactionFixture.small()) {
            TableHandle table = engine.table("t");
            Snapshot old = engine.snapshot();
            while (undoPages(engine) <= TransactionFixture.UNDO_PAGES_MAX) {
                update(engine, table);
                engine.purgeAll();
            }
            byte[] newest = value(engine, table);

            old.close();
            engine.purgeAll();
            while (engine.under.under.counters.sum(Counter.UNDO_TRUNCATIONS) == 0) {
                update(engine, table);
                engine.purgeAll();
                engine.under.epochs.advance();
            }

            assertThat(undoPages(engine)).isLessThan(TransactionFixture.UNDO_PAGES_MAX);
            assertThat(newest).hasSize(900);
            update(engine, table);
            assertThat(value(engine, table)).hasSize(900);
        }
    }

    private static long undoPages(TransactionFixture engine) {
        return Math.max(
                engine.under.spaces.get(2).pageCount(), engine.under.spaces.get(3).pageCount());
    }

    private static void update(TransactionFixture engine, TableHandle table) {
        try (Transaction transaction = engine.begin()) {
            for (int i = 0; i < ROWS; i++) {
                transaction.put(table, key(i), new byte[900]);
            }
            transaction.commit();
        }
    }

    private static byte[] value(TransactionFixture engine, TableHandle table) {
        try (Snapshot now = engine.snapshot()) {
            return now.get(table, key(7));
        }
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(4).putInt(row).array();
    }
}
