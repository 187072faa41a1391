// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Cursor;
import dev.holdfast.EngineClosedException;
import dev.holdfast.Isolation;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionFinishedException;
import dev.holdfast.core.watch.Counter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a cursor stands on, in both directions, with changes under it. If this failed, a walk would
 * leave rows out, show one twice, or not end.
 */
final class CursorTest {
    private static final int KEY_BYTES_MAX = 512;

    private final TransactionFixture engine = TransactionFixture.small();
    private final TableHandle table = engine.table("t");

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenAnEmptyTable_whenWalked_thenItEndsAtOnceInEveryWay() {
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all());
                Cursor reversed = now.cursor(table, Range.all().reversed())) {
            for (Cursor each : List.of(cursor, reversed)) {
                assertThat(each.next()).isFalse();
                assertThat(each.next()).isFalse();
                assertThat(each.previous()).isFalse();
                assertThat(each.first()).isFalse();
                assertThat(each.last()).isFalse();
                assertThat(each.seek(key(1))).isFalse();
                assertThatThrownBy(each::key).isInstanceOf(IllegalStateException.class);
            }
        }
    }

    @Test
    void givenRows_whenWalkedToAnEndAndBack_thenEachIsMetOnce() {
        fill(300);
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all())) {
            assertThat(forward(cursor)).isEqualTo(keys(0, 300));
            assertThat(cursor.next()).isFalse();
            List<Integer> back = backward(cursor);
            assertThat(back).isEqualTo(reversed(keys(0, 300)));
            assertThat(cursor.previous()).isFalse();
            assertThat(cursor.next()).isTrue();
            assertThat(row(cursor)).isZero();
        }
    }

    @Test
    void givenAReversedRange_whenWalked_thenForwardIsDownwards() {
        fill(300);
        Range range = Range.closedOpen(key(50), key(250)).reversed();
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, range)) {
            assertThat(forward(cursor)).isEqualTo(reversed(keys(50, 250)));
            assertThat(backward(cursor)).isEqualTo(keys(50, 250));
            assertThat(cursor.first()).isTrue();
            assertThat(row(cursor)).isEqualTo(249);
            assertThat(cursor.last()).isTrue();
            assertThat(row(cursor)).isEqualTo(50);
            assertThat(cursor.seek(key(100))).isTrue();
            assertThat(row(cursor)).isEqualTo(100);
            assertThat(cursor.next()).isTrue();
            assertThat(row(cursor)).isEqualTo(99);
            assertThat(cursor.seek(between(100))).isTrue();
            assertThat(row(cursor)).isEqualTo(100);
            assertThat(cursor.seek(key(290))).isTrue();
            assertThat(row(cursor)).isEqualTo(249);
            assertThat(cursor.seek(key(250))).isTrue();
            assertThat(row(cursor)).isEqualTo(249);
            assertThat(cursor.seek(key(49))).isFalse();
            assertThat(cursor.previous()).isTrue();
            assertThat(row(cursor)).isEqualTo(50);
        }
    }

    @Test
    void givenARange_whenSought_thenBeforeItLeadsToTheFirstAndBehindItNowhere() {
        fill(100);
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.closed(key(20), key(80)))) {
            assertThat(cursor.seek(key(3))).isTrue();
            assertThat(row(cursor)).isEqualTo(20);
            assertThat(cursor.seek(between(40))).isTrue();
            assertThat(row(cursor)).isEqualTo(41);
            assertThat(cursor.previous()).isTrue();
            assertThat(row(cursor)).isEqualTo(40);
            assertThat(cursor.seek(key(80))).isTrue();
            assertThat(cursor.seek(between(80))).isFalse();
            assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.previous()).isTrue();
            assertThat(row(cursor)).isEqualTo(80);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {KEY_BYTES_MAX - 1, KEY_BYTES_MAX, KEY_BYTES_MAX + 1, 5_000})
    void givenBoundsAsLongAsAKeyOrLonger_whenWalked_thenTheyBoundAllTheSame(int length) {
        byte[] shorter = filled(KEY_BYTES_MAX - 1);
        byte[] longest = filled(KEY_BYTES_MAX);
        try (Transaction setup = engine.begin()) {
            setup.put(table, shorter, new byte[1]);
            setup.put(table, longest, new byte[2]);
            setup.put(table, new byte[] {8}, new byte[3]);
            setup.commit();
        }
        byte[] bound = filled(length);
        try (Snapshot now = engine.snapshot()) {
            for (Range range :
                    List.of(
                            Range.atLeast(bound),
                            Range.greaterThan(bound),
                            Range.lessThan(bound),
                            Range.atMost(bound),
                            Range.closed(new byte[0], bound))) {
                List<byte[]> expected = new ArrayList<>();
                for (byte[] key : List.of(shorter, longest, new byte[] {8})) {
                    if (range.contains(key)) {
                        expected.add(key);
                    }
                }
                assertThat(rawKeys(now, range)).containsExactlyElementsOf(expected);
                List<byte[]> down = rawKeys(now, range.reversed());
                Collections.reverse(down);
                assertThat(down).containsExactlyElementsOf(expected);
            }
            try (Cursor cursor = now.cursor(table, Range.all())) {
                assertThat(cursor.seek(bound)).isTrue();
                byte[] found = cursor.key();
                assertThat(Arrays.compareUnsigned(found, bound)).isNotNegative();
                assertThat(now.get(table, bound) != null).isEqualTo(length <= KEY_BYTES_MAX);
            }
            try (Cursor cursor = now.cursor(table, Range.all().reversed())) {
                assertThat(cursor.seek(bound)).isTrue();
                assertThat(Arrays.compareUnsigned(cursor.key(), bound)).isNotPositive();
            }
        }
    }

    private List<byte[]> rawKeys(Snapshot view, Range range) {
        List<byte[]> keys = new ArrayList<>();
        try (Cursor cursor = view.cursor(table, range)) {
            while (cursor.next()) {
                keys.add(cursor.key());
            }
        }
        return keys;
    }

    private static byte[] filled(int length) {
        byte[] key = new byte[length];
        Arrays.fill(key, (byte) 7);
        return key;
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void givenItsOwnChanges_whenTheyAreAheadOfTheCursor_thenItMeetsThem(Isolation isolation) {
        fill(10);
        try (Transaction one = engine.begin(isolation);
                Cursor cursor = one.cursor(table, Range.all())) {
            List<Integer> met = new ArrayList<>();
            while (cursor.next()) {
                int row = row(cursor);
                met.add(row);
                if (row == 3) {
                    one.delete(table, key(4));
                    one.delete(table, key(3));
                    one.put(table, key(15), new byte[4]);
                    one.put(table, between(6), new byte[4]);
                }
            }

            assertThat(met).containsExactly(0, 1, 2, 3, 5, 6, 6, 7, 8, 9, 15);
            assertThat(cursor.previous()).isTrue();
            assertThat(row(cursor)).isEqualTo(15);
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void givenItsOwnChanges_whenWalkedDownwards_thenItMeetsThemToo(Isolation isolation) {
        fill(10);
        try (Transaction one = engine.begin(isolation);
                Cursor cursor = one.cursor(table, Range.all().reversed())) {
            List<Integer> met = new ArrayList<>();
            while (cursor.next()) {
                int row = row(cursor);
                met.add(row);
                if (row == 6) {
                    one.delete(table, key(5));
                    one.delete(table, key(6));
                    one.put(table, between(2), new byte[4]);
                    one.put(table, between(8), new byte[4]);
                }
            }

            assertThat(met).containsExactly(9, 8, 7, 6, 4, 3, 2, 2, 1, 0);
        }
    }

    @Test
    void givenACursorThatDeletesWhatItStandsOn_whenItWalksOn_thenItMeetsAllOthers() {
        fill(500);
        try (Transaction one = engine.begin();
                Cursor cursor = one.cursor(table, Range.all())) {
            int count = 0;
            while (cursor.next()) {
                assertThat(row(cursor)).isEqualTo(count);
                assertThat(one.delete(table, cursor.key())).isTrue();
                count++;
            }
            assertThat(count).isEqualTo(500);
            one.commit();
        }

        assertThat(engine.rows(table)).isEmpty();
    }

    @Test
    void givenOthersWhoSplitAndMergeTheLeaves_whenASnapshotIsWalked_thenItIsAsItWas() {
        fill(400);
        try (Snapshot now = engine.snapshot();
                Cursor up = now.cursor(table, Range.all());
                Cursor down = now.cursor(table, Range.all().reversed())) {
            for (int i = 0; i < 400; i++) {
                assertThat(up.next()).isTrue();
                assertThat(row(up)).isEqualTo(i);
                assertThat(down.next()).isTrue();
                assertThat(row(down)).isEqualTo(399 - i);
                if (i % 20 == 10) {
                    disturb(i);
                }
            }
            assertThat(up.next()).isFalse();
            assertThat(down.next()).isFalse();
        }
        assertThat(engine.count(Counter.CURSOR_OLDER_VERSIONS)).isPositive();
    }

    private void disturb(int i) {
        try (Transaction other = engine.begin()) {
            other.deleteRange(table, Range.closedOpen(key(i - 9), key(i + 9)));
            for (int j = 0; j < 30; j++) {
                other.put(
                        table,
                        ByteBuffer.allocate(8).putInt(i + j).putInt(j).array(),
                        new byte[90]);
            }
            other.commit();
        }
        engine.purgeAll();
    }

    @Test
    void givenReadCommitted_whenOthersCommit_thenTheNextLeafShowsIt() {
        fill(400);
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED);
                Cursor cursor = one.cursor(table, Range.all())) {
            assertThat(cursor.next()).isTrue();
            try (Transaction other = engine.begin()) {
                other.deleteRange(table, Range.closedOpen(key(200), key(390)));
                other.commit();
            }
            engine.purgeAll();

            List<Integer> rest = forward(cursor);

            assertThat(rest).endsWith(390, 391, 392, 393, 394, 395, 396, 397, 398, 399);
            assertThat(rest).contains(199).doesNotContain(200).isSorted();
        }
    }

    @Test
    void givenReadCommitted_whenALongValueWasReadByTheMove_thenItStaysReadable() {
        byte[] value = new byte[9_000];
        value[8_999] = 7;
        put(key(1), value);
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED);
                Cursor cursor = one.cursor(table, Range.all())) {
            cursor.next();
            put(key(1), new byte[1]);
            engine.purgeAll();
            engine.awaitFreed();

            assertThat(cursor.value()).isEqualTo(value);
        }
    }

    @Test
    void givenReadCommitted_whenALongRowOfTheSameLeafIsDeleted_thenItIsPassedOver() {
        put(key(1), new byte[5]);
        put(key(2), new byte[9_000]);
        put(key(3), new byte[5]);
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED);
                Cursor cursor = one.cursor(table, Range.all())) {
            cursor.next();
            try (Transaction other = engine.begin()) {
                other.delete(table, key(2));
                other.commit();
            }

            assertThat(forward(cursor)).containsExactly(3);
        }
    }

    @Test
    void givenALongValue_whenASnapshotAsksLate_thenItIsTheOneOfTheSnapshot() {
        byte[] value = new byte[9_000];
        value[8_999] = 7;
        put(key(1), value);
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all())) {
            cursor.next();
            put(key(1), new byte[1]);
            engine.purgeAll();

            assertThat(cursor.valueView()).isEqualTo(ByteBuffer.wrap(value));
            assertThat(cursor.value()).isEqualTo(value);
        }
    }

    @Test
    void givenItsOwnDeletion_whenTheLongValueIsAskedFor_thenThatIsSaid() {
        put(key(1), new byte[9_000]);
        try (Transaction one = engine.begin();
                Cursor cursor = one.cursor(table, Range.all())) {
            cursor.next();
            one.delete(table, key(1));

            assertThatThrownBy(cursor::value)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("removed by its own transaction");
        }
    }

    @Test
    void givenViews_whenTheTransactionChangesTheRow_thenTheyStayUntilTheMove() {
        fill(3);
        try (Transaction one = engine.begin();
                Cursor cursor = one.cursor(table, Range.all())) {
            cursor.next();
            ByteBuffer key = cursor.keyView();
            ByteBuffer value = cursor.valueView();
            one.put(table, key(0), new byte[77]);

            assertThat(key).isEqualTo(ByteBuffer.wrap(key(0)));
            assertThat(value).isEqualTo(ByteBuffer.wrap(key(0)));
            assertThat(key.isReadOnly()).isTrue();
            assertThat(value.isReadOnly()).isTrue();
        }
    }

    @Test
    void givenManyCursors_whenTheyComeAndGo_thenTheirLeavesAreUsedAgain() {
        fill(100);
        Snapshot now = engine.snapshot();
        List<Cursor> open = new ArrayList<>();
        for (int i = 0; i < 2 * Workspace.LEAVES_KEPT; i++) {
            Cursor cursor = now.cursor(table, Range.atLeast(key(i)));
            assertThat(cursor.next()).isTrue();
            open.add(cursor);
        }

        for (int i = 0; i < open.size(); i++) {
            assertThat(row(open.get(i))).isEqualTo(i);
            assertThat(open.get(i).next()).isTrue();
            assertThat(row(open.get(i))).isEqualTo(i + 1);
        }
        open.get(0).close();
        open.get(0).close();
        try (Cursor again = now.cursor(table, Range.all().reversed())) {
            assertThat(again.next()).isTrue();
            assertThat(row(again)).isEqualTo(99);
            assertThat(open.get(1).next()).isTrue();
            assertThat(row(open.get(1))).isEqualTo(3);
        }
        now.close();
        assertThatThrownBy(() -> open.get(2).next())
                .isInstanceOf(TransactionFinishedException.class);
        // The next view works with the same memory; late closes of the old cursors do not matter.
        try (Snapshot next = engine.snapshot();
                Cursor cursor = next.cursor(table, Range.all())) {
            assertThat(cursor.next()).isTrue();
            open.forEach(Cursor::close);
            try (Cursor other = next.cursor(table, Range.atLeast(key(50)))) {
                assertThat(other.next()).isTrue();
                assertThat(cursor.next()).isTrue();
                assertThat(row(cursor)).isEqualTo(1);
                assertThat(row(other)).isEqualTo(50);
            }
        }
    }

    @Test
    void givenACursorOfADroppedTable_whenMoved_thenThatIsSaid() {
        fill(3);
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all())) {
            cursor.next();

            table.dropped();

            assertThatThrownBy(cursor::next).isInstanceOf(NoSuchTableException.class);
            assertThatThrownBy(() -> now.get(table, key(1)))
                    .isInstanceOf(NoSuchTableException.class);
        }
    }

    @Test
    void givenAClosedCursor_whenUsed_thenItIsRefused() {
        fill(3);
        try (Snapshot now = engine.snapshot()) {
            Cursor cursor = now.cursor(table, Range.all());
            cursor.next();

            cursor.close();

            assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void givenAClosedEngine_whenACursorIsMoved_thenItIsToldAndItsCloseIsQuiet() {
        fill(3);
        Snapshot now = engine.snapshot();
        Cursor cursor = now.cursor(table, Range.all());
        cursor.next();

        engine.system.refuse();
        engine.system.endAll(1_000_000_000);

        assertThatThrownBy(cursor::next).isInstanceOf(EngineClosedException.class);
        cursor.close();
        now.close();
        assertThat(engine.system.viewsInUse()).isZero();
    }

    private void fill(int rows) {
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < rows; i++) {
                setup.put(table, key(i), key(i));
            }
            setup.commit();
        }
    }

    private void put(byte[] key, byte[] value) {
        try (Transaction one = engine.begin()) {
            one.put(table, key, value);
            one.commit();
        }
    }

    private static List<Integer> forward(Cursor cursor) {
        List<Integer> rows = new ArrayList<>();
        while (cursor.next()) {
            rows.add(row(cursor));
        }
        return rows;
    }

    private static List<Integer> backward(Cursor cursor) {
        List<Integer> rows = new ArrayList<>();
        while (cursor.previous()) {
            rows.add(row(cursor));
        }
        return rows;
    }

    private static List<Integer> keys(int from, int to) {
        List<Integer> keys = new ArrayList<>();
        for (int i = from; i < to; i++) {
            keys.add(i);
        }
        return keys;
    }

    private static List<Integer> reversed(List<Integer> rows) {
        List<Integer> reversed = new ArrayList<>(rows);
        Collections.reverse(reversed);
        return reversed;
    }

    private static int row(Cursor cursor) {
        return cursor.keyView().getInt();
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(4).putInt(row).array();
    }

    /** Behind the row and before the next. */
    private static byte[] between(int row) {
        return ByteBuffer.allocate(5).putInt(row).put((byte) 1).array();
    }
}
