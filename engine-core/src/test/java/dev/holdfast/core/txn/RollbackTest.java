// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * P8, without crashes. If this failed, something of a transaction that was rolled back would stay:
 * in rows, in long values, in pages, or in the way of others.
 */
@ExtendWith(SeedExtension.class)
final class RollbackTest {
    private final TransactionFixture engine = TransactionFixture.small();
    private final TableHandle table = engine.table("t");

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenManyInsertsThatSplit_whenRolledBack_thenTheRowsAndTheirPagesAreGone() {
        fill(20, 50);
        List<String> before = engine.rows(table);
        int pages = engine.usedPages();
        Transaction one = engine.begin();
        for (int i = 100; i < 3000; i++) {
            one.put(table, key(i), new byte[200]);
        }
        int grown = engine.usedPages();

        one.rollback();

        assertThat(grown).isGreaterThan(pages + 100);
        assertThat(engine.rows(table)).isEqualTo(before);
        settle();
        assertThat(engine.usedPages()).isLessThanOrEqualTo(pages + 2);
    }

    @Test
    void givenLongRowsThatWereMadeShort_whenRolledBack_thenTheySplitTheirLeavesAgain() {
        fill(400, 900);
        List<String> before = engine.rows(table);
        Transaction one = engine.begin();
        for (int i = 0; i < 400; i++) {
            one.put(table, key(i), new byte[1]);
        }
        try (Transaction other = engine.begin()) {
            for (int i = 1000; i < 1400; i++) {
                other.put(table, key(i * 3), new byte[100]);
            }
            other.commit();
        }
        try (Transaction other = engine.begin()) {
            other.deleteRange(table, Range.atLeast(key(3000)));
            other.commit();
        }
        // The leaves are taken by rows that others put between; now the long ones come back.
        fillBetween();

        long splits = engine.count(Counter.LEAF_SPLITS);
        one.rollback();

        assertThat(engine.count(Counter.LEAF_SPLITS)).isGreaterThan(splits);
        try (Transaction clean = engine.begin()) {
            for (int i = 0; i < 400; i++) {
                clean.delete(table, between(i));
            }
            clean.commit();
        }
        assertThat(engine.rows(table)).isEqualTo(before);
    }

    private void fillBetween() {
        try (Transaction other = engine.begin()) {
            for (int i = 0; i < 400; i++) {
                other.put(table, between(i), new byte[500]);
            }
            other.commit();
        }
    }

    private static byte[] between(int i) {
        return ByteBuffer.allocate(5).putInt(i).put((byte) 1).array();
    }

    @Test
    void givenDeletedRows_whenRolledBack_thenTheyAreBackWithTheirValues() {
        fill(300, 120);
        List<String> before = engine.rows(table);
        Transaction one = engine.begin();
        long deleted = one.deleteRange(table, Range.closedOpen(key(50), key(250)));
        one.put(table, key(60), new byte[7]);
        one.delete(table, key(60));
        one.insert(table, key(61), new byte[9]);

        one.rollback();

        assertThat(deleted).isEqualTo(200);
        assertThat(engine.rows(table)).isEqualTo(before);
    }

    @Test
    void givenLongValues_whenRolledBack_thenTheOldOnesAreBackAndTheNewOnesPagesAreFree() {
        fill(10, 9_000);
        List<String> before = engine.rows(table);
        settle();
        int pages = engine.usedPages();
        Transaction one = engine.begin();
        for (int i = 0; i < 10; i++) {
            one.put(table, key(i), new byte[20_000 + i]);
        }
        one.put(table, key(3), new byte[50_000]);
        one.put(table, key(4), new byte[2]);
        one.delete(table, key(5));
        one.put(table, key(5), new byte[30_000]);
        one.insert(table, key(50), new byte[40_000]);

        one.rollback();

        assertThat(engine.rows(table)).isEqualTo(before);
        settle();
        assertThat(engine.usedPages()).isEqualTo(pages);
    }

    @Test
    void givenADeletionThatPurgeHasPassed_whenAnInsertOverItIsRolledBack_thenTheRowIsRemoved() {
        fill(3, 9_000);
        settle();
        int pages = engine.usedPages();
        try (Transaction delete = engine.begin()) {
            delete.delete(table, key(1));
            delete.commit();
        }
        Transaction one = engine.begin();
        one.put(table, key(1), new byte[8]);
        // Purge finds the row not deleted, and does not come again.
        engine.purgeAll();

        one.rollback();
        settle();

        assertThat(recordCount()).isEqualTo(2);
        assertThat(engine.rows(table)).hasSize(2);
        assertThat(engine.usedPages()).isLessThan(pages);
    }

    @Test
    void givenADeletionThatASnapshotDoesNotSee_whenAnInsertOverItIsRolledBack_thenItStays() {
        fill(3, 9_000);
        Snapshot before = engine.snapshot();
        List<String> rows = TransactionFixture.rows(before, table);
        try (Transaction delete = engine.begin()) {
            delete.delete(table, key(1));
            delete.commit();
        }
        Transaction one = engine.begin();
        one.put(table, key(1), new byte[8]);
        engine.purgeAll();

        one.rollback();
        engine.purgeAll();

        assertThat(TransactionFixture.rows(before, table)).isEqualTo(rows);
        assertThat(engine.rows(table)).hasSize(2);
        before.close();
        settle();
        assertThat(recordCount()).isEqualTo(2);
    }

    @Test
    void givenADroppedTable_whenItsWriterIsRolledBack_thenOnlyTheOthersRowsAreRestored() {
        TableHandle dropped = engine.table("dropped");
        fill(3, 10);
        List<String> before = engine.rows(table);
        Transaction one = engine.begin();
        one.put(dropped, key(1), new byte[9_000]);
        one.put(table, key(1), new byte[1]);
        one.put(dropped, key(2), new byte[5]);

        dropped.dropped();
        one.rollback();

        assertThat(engine.rows(table)).isEqualTo(before);
        assertThat(engine.count(Counter.ROLLBACKS)).isEqualTo(1);
    }

    @Test
    void givenAHugeTransaction_whenTheEngineClosesInAHurry_thenTheNextOpenTakesItBack() {
        fill(500, 100);
        List<String> before = engine.rows(table);
        Transaction huge = engine.begin();
        for (int i = 0; i < 500; i++) {
            huge.put(table, key(i), new byte[300]);
        }

        engine.system.refuse();
        boolean ended = engine.system.endAll(0);

        assertThat(ended).isTrue();
        assertThat(engine.system.viewsInUse()).isZero();
        assertThat(engine.count(Counter.ROLLBACKS)).isZero();
        Reopened again = new Reopened();
        assertThat(again.losers.left()).isEqualTo(1);
        assertThat(again.rows()).isEqualTo(before);
        // Round by round, each a bounded one.
        int rounds = 0;
        while (again.losers.run()) {
            rounds++;
        }
        assertThat(rounds).isGreaterThan(5);
        assertThat(again.losers.left()).isZero();
        assertThat(again.rows()).isEqualTo(before);
        assertThat(again.undo.recover()).isEmpty();
    }

    /** What an engine that opened the store now would make of it; over the same pool. */
    private final class Reopened {
        private final UndoSystem undo;
        private final TransactionSystem system;
        private final LoserRollback losers;

        Reopened() {
            undo = engine.newUndo(engine.undoSpaces());
            List<UndoSystem.Loser> found = undo.recover();
            system = engine.newSystem(undo, 1 << 20);
            losers = new LoserRollback(system);
            losers.adopt(found);
        }

        List<String> rows() {
            try (Snapshot now = system.snapshot()) {
                return TransactionFixture.rows(now, table);
            }
        }
    }

    @Test
    void givenRandomTransactions_whenEachIsRolledBack_thenTheRowsAreAsBefore(SeededRandom random) {
        int empty = engine.usedPages();
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < 150; i++) {
                setup.put(table, key(random.nextInt(400)), value(random));
            }
            setup.commit();
        }
        int rounds = SeedExtension.everydayOrSoak(30, 1_000);
        for (int round = 0; round < rounds; round++) {
            List<String> before = engine.rows(table);
            Transaction one = engine.begin();
            int steps = random.nextInt(60);
            for (int i = 0; i < steps; i++) {
                change(one, random);
            }

            if (random.oneIn(5)) {
                one.commit();
            } else {
                one.rollback();
                assertThat(engine.rows(table)).isEqualTo(before);
            }
            if (random.oneIn(3)) {
                engine.purgeAll();
            }
        }
        try (Transaction all = engine.begin()) {
            all.deleteRange(table, Range.all());
            all.commit();
        }
        settle();
        assertThat(recordCount()).isZero();
        assertThat(engine.usedPages()).isLessThanOrEqualTo(empty + 2);
    }

    private void change(Transaction one, SeededRandom random) {
        byte[] key = key(random.nextInt(400));
        switch (random.nextInt(4)) {
            case 0 -> one.delete(table, key);
            case 1 -> {
                int from = random.nextInt(400);
                Range range = Range.closedOpen(key(from), key(from + random.nextInt(20)));
                one.deleteRange(table, random.nextBoolean() ? range : range.reversed());
            }
            default -> one.put(table, key, value(random));
        }
    }

    private static byte[] value(SeededRandom random) {
        return random.bytes(random.oneIn(12) ? random.between(2_000, 20_000) : random.nextInt(700));
    }

    private void fill(int rows, int bytes) {
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < rows; i++) {
                setup.put(table, key(i), new byte[bytes]);
            }
            setup.commit();
        }
    }

    /** Purges and frees all that can be. */
    private void settle() {
        engine.purgeAll();
        engine.awaitFreed();
    }

    private int recordCount() {
        return engine.recordCount(table);
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(4).putInt(row).array();
    }

    @Test
    void givenARolledBackWriter_whenOthersWaitedForItsRows_thenTheyGoOn() {
        fill(5, 10);
        Transaction one = engine.begin();
        one.put(table, key(1), new byte[5]);
        one.rollback();

        try (Transaction two = engine.begin()) {
            two.put(table, key(1), new byte[6]);
            two.commit();
        }

        assertThat(engine.system.lockQueues()).isZero();
        try (Snapshot now = engine.snapshot()) {
            assertThat(now.get(table, key(1))).hasSize(6);
        }
    }
}
