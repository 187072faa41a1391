// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Cursor;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.RetryableException;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A table of pairs of rows, far apart in it, that always have the same version: any thread can tell
 * from a row alone whether it is whole, and from a pair whether a view is of one moment.
 */
final class PairedRows {
    private static final int BATCH = 200;

    private final Engine engine;
    private final Table table;
    private final int pairs;
    private final int valueBytes;

    PairedRows(Engine engine, int pairs, int valueBytes) {
        this.engine = engine;
        this.table = engine.table("pairs");
        this.pairs = pairs;
        this.valueBytes = valueBytes;
    }

    /** Inserts all rows with version 0. */
    void load() {
        for (int from = 0; from < pairs; from += BATCH) {
            int first = from;
            engine.write(
                    transaction -> {
                        for (int i = first; i < Math.min(pairs, first + BATCH); i++) {
                            transaction.insert(table, key(i), value(i, 0));
                            transaction.insert(table, key(i + pairs), value(i + pairs, 0));
                        }
                        return null;
                    });
        }
    }

    /** Gives some pairs their next version; does nothing if another was faster. */
    void update(SeededRandom random, Durability durability) {
        TransactionOptions options = TransactionOptions.defaults().isolation(Isolation.SNAPSHOT);
        try (Transaction transaction = engine.begin(options)) {
            for (int i = random.between(1, 4); i > 0; i--) {
                int pair = random.nextInt(pairs);
                int version = Value.versionOf(transaction.get(table, key(pair))) + 1;
                transaction.put(table, key(pair), value(pair, version));
                if (random.oneIn(8)) {
                    transaction.delete(table, key(pair + pairs));
                    transaction.insert(table, key(pair + pairs), value(pair + pairs, version));
                } else {
                    transaction.put(table, key(pair + pairs), value(pair + pairs, version));
                }
            }
            if (random.oneIn(10)) {
                transaction.rollback();
            } else {
                transaction.commit(durability);
            }
        } catch (RetryableException anotherWasFaster) {
            // The transaction is rolled back by its close.
        }
    }

    /** Reads some pairs in a view of one moment. */
    void readPairs(SeededRandom random) {
        ByteBuffer target = ByteBuffer.allocate(valueBytes);
        try (Snapshot snapshot = engine.snapshot()) {
            for (int i = 0; i < 20; i++) {
                int pair = random.nextInt(pairs);
                int version = check(pair, snapshot.get(table, key(pair)));
                int length = snapshot.get(table, key(pair + pairs), target.clear());
                byte[] twin = Arrays.copyOf(target.array(), length);
                checkSame(pair, version, check(pair + pairs, twin));
            }
        }
    }

    /** Walks over a stretch in either direction, and looks its twins up. */
    void scan(SeededRandom random, int count) {
        try (Snapshot snapshot = engine.snapshot()) {
            int from = random.nextInt(Math.max(1, pairs - count));
            int to = Math.min(pairs, from + count);
            Range range = Range.closedOpen(key(from), key(to));
            boolean backwards = random.nextBoolean();
            int at = backwards ? to - 1 : from;
            try (Cursor cursor = snapshot.cursor(table, backwards ? range.reversed() : range)) {
                while (cursor.next()) {
                    if (!Arrays.equals(cursor.key(), key(at))) {
                        throw new AssertionError("a row is not where it belongs: row=" + at);
                    }
                    int version = check(at, cursor.value());
                    if (random.oneIn(16)) {
                        byte[] twin = snapshot.get(table, key(at + pairs));
                        checkSame(at, version, check(at + pairs, twin));
                    }
                    at += backwards ? -1 : 1;
                }
            }
            if (at != (backwards ? from - 1 : to)) {
                throw new AssertionError("a scan ended early: row=" + at + ", to=" + to);
            }
        }
    }

    /** Looks at all rows. */
    void checkAll(SeededRandom random) {
        scan(random, pairs);
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(row).array();
    }

    private byte[] value(int row, int version) {
        return new Value((long) row << 32 | version, version, valueBytes).bytes();
    }

    /** Checks that the bytes are those of the row in some version, and returns that. */
    private int check(int row, byte[] bytes) {
        if (bytes == null) {
            throw new AssertionError("a row is not there: row=" + row);
        }
        int version = Value.versionOf(bytes);
        if (!Arrays.equals(bytes, value(row, version))) {
            throw new AssertionError("a row is not whole: row=" + row + ", version=" + version);
        }
        return version;
    }

    private static void checkSame(int pair, int version, int twin) {
        if (version != twin) {
            throw new AssertionError(
                    "a view is not of one moment: pair="
                            + pair
                            + ", version="
                            + version
                            + ", twin="
                            + twin);
        }
    }
}
