// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * P17. If this failed, a store that is churned would grow without bound, or a row or a value would
 * be taken from somebody who still sees it.
 */
final class PurgeTest {
    private final TransactionFixture engine = TransactionFixture.small();
    private final TableHandle table = engine.table("t");

    @AfterEach
    void close() {
        TestHooks.reset();
        engine.close();
    }

    @Test
    void givenChurn_whenPurged_thenTheSpacesDoNotGrow() {
        churn(0);
        settle();
        int pages = engine.usedPages();
        long undoPages = undoPages();

        for (int round = 1; round <= 12; round++) {
            churn(round);
            settle();
        }

        assertThat(engine.usedPages()).isLessThanOrEqualTo(pages + pages / 4);
        assertThat(undoPages()).isEqualTo(undoPages);
        assertThat(engine.recordCount(table)).isEqualTo(200);
    }

    /** Replaces every row, long values among them, by rows with other keys. */
    private void churn(int round) {
        try (Transaction one = engine.begin()) {
            one.deleteRange(table, Range.all());
            for (int i = 0; i < 200; i++) {
                one.put(table, key(round * 37 + i), new byte[i % 20 == 0 ? 9_000 : 100]);
            }
            one.commit();
        }
        try (Transaction two = engine.begin()) {
            for (int i = 0; i < 200; i += 10) {
                two.put(table, key(round * 37 + i), new byte[i % 20 == 0 ? 12_000 : 50]);
            }
            two.commit();
        }
    }

    private long undoPages() {
        return engine.under.spaces.get(2).pageCount() + engine.under.spaces.get(3).pageCount();
    }

    @Test
    void givenDeletedRows_whenASnapshotSeesThem_thenTheyStayUntilItIsClosed() {
        fill(50, 10);
        Snapshot before = engine.snapshot();
        List<String> rows = TransactionFixture.rows(before, table);
        try (Transaction one = engine.begin()) {
            one.deleteRange(table, Range.all());
            one.commit();
        }

        engine.purgeAll();
        assertThat(TransactionFixture.rows(before, table)).isEqualTo(rows);
        assertThat(engine.recordCount(table)).isEqualTo(50);
        before.close();
        engine.purgeAll();

        assertThat(engine.recordCount(table)).isZero();
        assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(50);
        assertThat(engine.system.historyWaiting()).isZero();
    }

    @Test
    void givenARowDeletedAndPutAgain_whenPurged_thenTheNewOneStaysAndTheOldValueGoes() {
        fill(2, 9_000);
        settle();
        int pages = engine.usedPages();
        try (Transaction one = engine.begin()) {
            one.delete(table, key(0));
            one.commit();
        }
        try (Transaction two = engine.begin()) {
            two.put(table, key(0), new byte[3]);
            two.commit();
        }

        settle();

        try (Snapshot now = engine.snapshot()) {
            assertThat(now.get(table, key(0))).hasSize(3);
        }
        assertThat(engine.count(Counter.ROWS_PURGED)).isZero();
        assertThat(engine.count(Counter.OVERFLOW_CHAINS_PURGED)).isEqualTo(1);
        assertThat(engine.usedPages()).isEqualTo(pages - 3);
    }

    @Test
    void givenARowDeletedTwiceByOneTransaction_whenPurged_thenItsValuesGoOnceEach() {
        int empty = engine.usedPages();
        fill(1, 9_000);
        try (Transaction one = engine.begin()) {
            one.delete(table, key(0));
            one.put(table, key(0), new byte[12_000]);
            one.delete(table, key(0));
            one.commit();
        }

        settle();

        assertThat(engine.recordCount(table)).isZero();
        assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(1);
        assertThat(engine.count(Counter.OVERFLOW_CHAINS_PURGED)).isEqualTo(2);
        assertThat(engine.usedPages()).isEqualTo(empty);
    }

    @Test
    void givenALargeLog_whenPurged_thenInRoundsOfABoundedLength() {
        fill(1_000, 10);
        try (Transaction one = engine.begin()) {
            one.deleteRange(table, Range.all());
            one.commit();
        }
        engine.purgeOne();
        long first = engine.count(Counter.ROWS_PURGED);

        int rounds = 1;
        while (engine.purgeOne()) {
            rounds++;
        }

        assertThat(first).isLessThan(300);
        assertThat(rounds).isBetween(4, 20);
        assertThat(engine.recordCount(table)).isZero();
    }

    @Test
    void givenARoundThatFailed_whenItIsBegunAgain_thenNoRecordIsLeftOut() {
        fill(10, 10);
        try (Transaction one = engine.begin()) {
            one.deleteRange(table, Range.all());
            one.commit();
        }
        int[] calls = {0};
        TestHooks.onReached(
                Purge.BEFORE_ROW,
                () -> {
                    calls[0]++;
                    if (calls[0] % 3 == 0) {
                        throw new OutOfMemoryError("planted");
                    }
                });

        boolean more = true;
        while (more) {
            try {
                more = engine.purgeOne();
            } catch (OutOfMemoryError planted) {
                assertThat(planted).hasMessage("planted");
            }
        }

        assertThat(engine.recordCount(table)).isZero();
        assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(10);
    }

    @Test
    void givenALogPurgedInPart_whenItIsPurgedAgainAfterAReopen_thenNoChainGoesTwice()
            throws Exception {
        fill(6, 9_000);
        settle();
        int pages = engine.usedPages();
        try (Transaction one = engine.begin()) {
            for (int i = 0; i < 6; i++) {
                one.put(table, key(i), new byte[5]);
            }
            one.commit();
        }
        int[] calls = {0};
        TestHooks.onReached(
                Purge.BEFORE_ROW,
                () -> {
                    calls[0]++;
                    if (calls[0] == 4) {
                        throw new OutOfMemoryError("planted");
                    }
                });
        assertThatThrownBy(engine::purgeOne).isInstanceOf(OutOfMemoryError.class);

        UndoSystem undo = engine.newUndo(engine.undoSpaces());
        undo.recover();
        Purge again = engine.newPurge(engine.newSystem(undo, 1 << 20));
        boolean more = true;
        while (more) {
            more = again.run();
        }
        engine.awaitFreed();

        assertThat(calls[0]).isEqualTo(7);
        assertThat(engine.count(Counter.OVERFLOW_CHAINS_PURGED)).isEqualTo(6);
        assertThat(engine.usedPages()).isEqualTo(pages - 6 * 3);
    }

    @Test
    void givenPurgeBeforeARow_whenItIsPutAgain_thenItIsNotRemoved() throws Exception {
        fill(3, 10);
        try (Transaction one = engine.begin()) {
            one.delete(table, key(1));
            one.commit();
        }
        TestHooks.Pause atRow = TestHooks.pauseAt(Purge.BEFORE_ROW);
        TestThread<Void> purge =
                TestThread.start(
                        () -> {
                            engine.purgeAll();
                            return null;
                        });
        atRow.awaitReached();
        boolean atWork = engine.purge.isAtWorkIn(table.tree().treeId());

        try (Transaction two = engine.begin()) {
            two.put(table, key(1), new byte[4]);
            two.commit();
        }
        atRow.resume();
        purge.result();

        assertThat(atWork).isTrue();
        assertThat(engine.rows(table)).hasSize(3);
        assertThat(engine.count(Counter.ROWS_PURGED)).isZero();
    }

    @Test
    void givenADroppedTable_whenPurged_thenItsRowsAreLeftAlone() {
        fill(5, 9_000);
        try (Transaction one = engine.begin()) {
            one.put(table, key(0), new byte[1]);
            one.delete(table, key(1));
            one.commit();
        }

        table.dropped();
        engine.purgeAll();

        assertThat(engine.count(Counter.ROWS_PURGED)).isZero();
        assertThat(engine.count(Counter.OVERFLOW_CHAINS_PURGED)).isZero();
        assertThat(engine.system.historyWaiting()).isZero();
    }

    @Test
    void givenAReadCommittedDeleteRange_whenItHasEnded_thenItHoldsNoVersions() {
        fill(20, 10);
        Transaction idle = engine.begin(Isolation.READ_COMMITTED);
        idle.deleteRange(table, Range.lessThan(key(5)));
        try (Transaction one = engine.begin()) {
            one.deleteRange(table, Range.atLeast(key(10)));
            one.commit();
        }

        engine.purgeAll();

        assertThat(engine.count(Counter.ROWS_PURGED)).isEqualTo(10);
        idle.rollback();
    }

    private void fill(int rows, int bytes) {
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < rows; i++) {
                setup.put(table, key(i), new byte[bytes]);
            }
            setup.commit();
        }
    }

    private void settle() {
        engine.purgeAll();
        engine.awaitFreed();
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(4).putInt(row).array();
    }
}
