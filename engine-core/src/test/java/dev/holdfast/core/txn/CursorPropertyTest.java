// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Range;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Cursors of one transaction that move at random in both directions, while the transaction changes
 * rows under them and others change theirs, against a sorted map. If this failed, a cursor would
 * show what its transaction does not see.
 */
@ExtendWith(SeedExtension.class)
final class CursorPropertyTest {
    private static final int KEYS = 600;
    private static final int CURSORS = 3;
    private static final int TRANSACTIONS = SeedExtension.everydayOrSoak(12, 400);
    private static final int STEPS = 250;

    private final NavigableMap<byte[], byte[]> committed = new TreeMap<>(Arrays::compareUnsigned);
    private TransactionFixture engine;
    private TableHandle table;

    @Test
    void givenRandomMovesAndChanges_whenComparedWithAMap_thenTheyAgree(SeededRandom random) {
        try (TransactionFixture opened = TransactionFixture.small()) {
            engine = opened;
            table = engine.table("t");
            for (int i = 0; i < TRANSACTIONS; i++) {
                transaction(random);
                engine.purgeAll();
            }

            assertThat(engine.count(Counter.LEAF_SPLITS)).isPositive();
            assertThat(engine.count(Counter.CURSOR_OLDER_VERSIONS)).isPositive();
            assertThat(engine.count(Counter.OVERFLOW_PAGES_READ)).isPositive();
        }
    }

    private void transaction(SeededRandom random) {
        NavigableMap<byte[], byte[]> seen = new TreeMap<>(committed);
        NavigableMap<byte[], byte[]> others = new TreeMap<>(Arrays::compareUnsigned);
        try (Transaction one = engine.begin()) {
            List<Model> cursors = new ArrayList<>();
            for (int i = 0; i < CURSORS; i++) {
                cursors.add(new Model(one, range(random), seen));
            }
            for (int step = 0; step < STEPS; step++) {
                int dice = random.nextInt(10);
                if (dice == 0) {
                    othersChange(random, others);
                } else if (dice < 3) {
                    change(one, seen, random);
                } else {
                    random.pick(cursors).move(random);
                }
                if (random.oneIn(60)) {
                    int which = random.nextInt(CURSORS);
                    cursors.get(which).cursor.close();
                    cursors.set(which, new Model(one, range(random), seen));
                }
            }
            if (random.oneIn(3)) {
                one.rollback();
                merge(committed, others);
            } else {
                one.commit();
                committed.clear();
                committed.putAll(seen);
                merge(committed, others);
            }
        }
        checkAll();
    }

    /** A value of null stands for a deletion. */
    private static void merge(
            NavigableMap<byte[], byte[]> into, NavigableMap<byte[], byte[]> changes) {
        changes.forEach(
                (key, value) -> {
                    if (value == null) {
                        into.remove(key);
                    } else {
                        into.put(key, value);
                    }
                });
    }

    private void checkAll() {
        Transaction now = engine.begin();
        try (Cursor cursor = now.cursor(table, Range.all())) {
            for (var entry : committed.entrySet()) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.key()).isEqualTo(entry.getKey());
                assertThat(cursor.value()).isEqualTo(entry.getValue());
            }
            assertThat(cursor.next()).isFalse();
        }
        now.close();
    }

    private void change(Transaction one, NavigableMap<byte[], byte[]> seen, SeededRandom random) {
        byte[] key = key(2 * random.nextInt(KEYS));
        if (random.oneIn(3)) {
            assertThat(one.delete(table, key)).isEqualTo(seen.remove(key) != null);
        } else {
            byte[] value = value(random);
            one.put(table, key, value);
            seen.put(key, value);
        }
    }

    /** Odd rows, so that they never wait for one another. */
    private void othersChange(SeededRandom random, NavigableMap<byte[], byte[]> others) {
        try (Transaction other = engine.begin()) {
            for (int i = random.nextInt(30); i >= 0; i--) {
                byte[] key = key(2 * random.nextInt(KEYS) + 1);
                if (random.oneIn(2)) {
                    other.delete(table, key);
                    others.put(key, null);
                } else {
                    byte[] value = value(random);
                    other.put(table, key, value);
                    others.put(key, value);
                }
            }
            other.commit();
        }
        engine.purgeAll();
    }

    private static Range range(SeededRandom random) {
        byte[] one = key(random.nextInt(2 * KEYS));
        byte[] two = key(random.nextInt(2 * KEYS));
        boolean inOrder = Arrays.compareUnsigned(one, two) <= 0;
        byte[] lower = inOrder ? one : two;
        byte[] upper = inOrder ? two : one;
        Range range =
                switch (random.nextInt(6)) {
                    case 0 -> Range.all();
                    case 1 -> Range.atLeast(one);
                    case 2 -> Range.atMost(one);
                    case 3 -> Range.prefix(Arrays.copyOf(one, random.nextInt(one.length)));
                    case 4 -> Range.open(lower, upper);
                    default -> Range.closed(lower, upper);
                };
        return random.nextBoolean() ? range : range.reversed();
    }

    /** Keys of several lengths with shared beginnings. */
    private static byte[] key(int row) {
        byte[] digits = Integer.toString(row + 10_000).getBytes(US_ASCII);
        return row % 5 == 0 ? Arrays.copyOf(digits, 60) : digits;
    }

    private static byte[] value(SeededRandom random) {
        return random.bytes(random.oneIn(25) ? random.between(1_500, 9_000) : random.nextInt(150));
    }

    /** A cursor, and where it should stand. */
    private final class Model {
        private final Cursor cursor;
        private final Range range;
        private final NavigableMap<byte[], byte[]> seen;
        private boolean isBefore = true;
        private boolean isAfter;
        private byte[] at;

        Model(Transaction one, Range range, NavigableMap<byte[], byte[]> seen) {
            this.cursor = one.cursor(table, range);
            this.range = range;
            this.seen = seen;
        }

        void move(SeededRandom random) {
            NavigableMap<byte[], byte[]> rows = rows();
            switch (random.nextInt(12)) {
                case 0 -> ended(cursor.first(), rows.isEmpty() ? null : rows.firstKey(), true);
                case 1 -> ended(cursor.last(), rows.isEmpty() ? null : rows.lastKey(), false);
                case 2, 3 -> {
                    byte[] wanted = key(random.nextInt(2 * KEYS));
                    ended(cursor.seek(wanted), rows.ceilingKey(wanted), true);
                }
                case 4, 5, 6 -> previous(rows);
                default -> next(rows);
            }
            if (at != null && seen.containsKey(at) && random.nextBoolean()) {
                assertThat(cursor.value()).isEqualTo(seen.get(at));
            }
        }

        /** What is in the range, in its direction. */
        private NavigableMap<byte[], byte[]> rows() {
            NavigableMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
            seen.forEach(
                    (key, value) -> {
                        if (range.contains(key)) {
                            rows.put(key, value);
                        }
                    });
            return range.isReversed() ? rows.descendingMap() : rows;
        }

        private void next(NavigableMap<byte[], byte[]> rows) {
            byte[] expected = null;
            if (!isAfter && !rows.isEmpty()) {
                expected = isBefore ? rows.firstKey() : rows.higherKey(at);
            }
            ended(cursor.next(), expected, true);
        }

        private void previous(NavigableMap<byte[], byte[]> rows) {
            byte[] expected = null;
            if (!isBefore && !rows.isEmpty()) {
                expected = isAfter ? rows.lastKey() : rows.lowerKey(at);
            }
            ended(cursor.previous(), expected, false);
        }

        private void ended(boolean moved, byte[] expected, boolean isForward) {
            assertThat(moved).as("range=%s", range).isEqualTo(expected != null);
            at = expected;
            isAfter = expected == null && isForward;
            isBefore = expected == null && !isForward;
            if (moved) {
                assertThat(cursor.key()).as("range=%s", range).isEqualTo(expected);
                if (seen.get(expected).length < 1_000) {
                    assertThat(cursor.value()).isEqualTo(seen.get(expected));
                }
            }
        }
    }
}
