// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import org.junit.jupiter.api.Test;

/**
 * If this failed, readers of long values and of old versions would latch the root for each read.
 */
final class LongValueReadTest {
    private static final int READS = 100;
    private static final byte[] KEY = {7};

    @Test
    void givenALongValue_whenReadManyTimes_thenNoSearchIsLatched() {
        try (TransactionFixture engine = TransactionFixture.small()) {
            TableHandle table = engine.table("t");
            put(engine, table, new byte[20_000]);

            readManyTimes(engine, table, 20_000);

            assertThat(engine.count(Counter.TREE_LATCHED_DESCENTS)).isZero();
        }
    }

    @Test
    void givenAnOldVersion_whenReadManyTimes_thenNoSearchIsLatched() {
        try (TransactionFixture engine = TransactionFixture.small()) {
            TableHandle table = engine.table("t");
            put(engine, table, new byte[10]);
            try (Snapshot old = engine.snapshot()) {
                put(engine, table, new byte[20]);

                for (int i = 0; i < READS; i++) {
                    assertThat(old.get(table, KEY)).hasSize(10);
                }
            }

            assertThat(engine.count(Counter.VERSIONS_FOLLOWED)).isGreaterThanOrEqualTo(READS);
            assertThat(engine.count(Counter.TREE_LATCHED_DESCENTS)).isZero();
        }
    }

    private static void readManyTimes(TransactionFixture engine, TableHandle table, int length) {
        try (Snapshot snapshot = engine.snapshot()) {
            for (int i = 0; i < READS; i++) {
                assertThat(snapshot.get(table, KEY)).hasSize(length);
            }
        }
    }

    private static void put(TransactionFixture engine, TableHandle table, byte[] value) {
        try (Transaction transaction = engine.begin()) {
            transaction.put(table, KEY, value);
            transaction.commit();
        }
    }
}
