// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.Cursor;
import dev.holdfast.Durability;
import dev.holdfast.Range;
import dev.holdfast.RetryableException;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import java.nio.ByteBuffer;

/** What the phases do. */
final class Operations {
    private static final int LOAD_ROWS = 1_000;
    private static final int SNAPSHOT_READS = 1_000;
    private static final int SCAN_ROWS = 100;
    private static final int RMW_ROWS = 10;
    private static final int OLTP_POINT_READS = 10;
    private static final int OLTP_SCANS = 4;
    private static final int OLTP_UPDATES = 2;

    private static final TransactionOptions LAZY =
            TransactionOptions.defaults().durability(Durability.LAZY);

    private Operations() {}

    /** Writes the next thousand rows of the load in one transaction. */
    static long load(WorkloadStore store, WorkloadThread thread) {
        long from = store.claimLoad(LOAD_ROWS);
        long to = Math.min(from + LOAD_ROWS, store.rows());
        if (from >= to) {
            return Operation.EXHAUSTED;
        }
        try (Transaction transaction = store.engine().begin(LAZY)) {
            for (long place = from; place < to; place++) {
                transaction.put(
                        store.table(), thread.key(store.loadRow(place)), thread.randomValue());
            }
            transaction.commit();
        }
        return to - from;
    }

    /** Reads every row through views. */
    static long scanAll(WorkloadStore store, WorkloadThread thread) {
        long rows = 0;
        try (Snapshot snapshot = store.engine().snapshot();
                Cursor cursor = snapshot.cursor(store.table(), Range.all())) {
            while (cursor.next()) {
                thread.use(cursor.keyView().get(0) + cursor.valueView().get(0));
                rows++;
            }
        }
        return rows;
    }

    /** Reads a row in a snapshot of its own. */
    static long readRandom(WorkloadStore store, WorkloadThread thread) {
        try (Snapshot snapshot = store.engine().snapshot()) {
            read(store, thread, snapshot, thread.randomRow(store.rows()));
        }
        return 1;
    }

    /** Reads a thousand rows in one snapshot; each counts. */
    static long readInSnapshot(WorkloadStore store, WorkloadThread thread) {
        try (Snapshot snapshot = store.engine().snapshot()) {
            for (int i = 0; i < SNAPSHOT_READS; i++) {
                read(store, thread, snapshot, thread.randomRow(store.rows()));
            }
        }
        return SNAPSHOT_READS;
    }

    /** Reads a hundred rows from a random one on. */
    static long scanHundred(WorkloadStore store, WorkloadThread thread) {
        try (Snapshot snapshot = store.engine().snapshot()) {
            scan(store, thread, snapshot);
        }
        return 1;
    }

    /** Sets the value of a random row. */
    static Operation update(Durability durability) {
        TransactionOptions options = TransactionOptions.defaults().durability(durability);
        return (store, thread) -> {
            byte[] value = thread.randomValue();
            long row = thread.randomRow(store.rows());
            return retried(
                    store,
                    thread,
                    options,
                    transaction -> transaction.put(store.table(), thread.key(row), value));
        };
    }

    /** Reads ten rows of a skewed choice and sets each to a new value. */
    static long readModifyWriteTen(WorkloadStore store, WorkloadThread thread) {
        long[] rows = new long[RMW_ROWS];
        for (int i = 0; i < RMW_ROWS; i++) {
            rows[i] = store.zipf().next(thread.random());
        }
        return retried(
                store,
                thread,
                LAZY,
                transaction -> {
                    for (long row : rows) {
                        byte[] value = transaction.get(store.table(), thread.key(row));
                        value[0]++;
                        transaction.put(store.table(), thread.key(row), value);
                    }
                });
    }

    /** Ten point reads and four scans of a hundred rows, as sysbench has them. */
    static long sysbenchReadOnly(WorkloadStore store, WorkloadThread thread) {
        try (Snapshot snapshot = store.engine().snapshot()) {
            sysbenchReads(store, thread, snapshot);
        }
        return 1;
    }

    /** The reads, two updates, and a row deleted and inserted again. */
    static Operation sysbenchReadWrite(Durability durability) {
        TransactionOptions options = TransactionOptions.defaults().durability(durability);
        return (store, thread) ->
                retried(
                        store,
                        thread,
                        options,
                        transaction -> {
                            sysbenchReads(store, thread, transaction);
                            for (int i = 0; i < OLTP_UPDATES; i++) {
                                byte[] key = thread.key(thread.randomRow(store.rows()));
                                transaction.put(store.table(), key, thread.randomValue());
                            }
                            byte[] key = thread.key(thread.randomRow(store.rows()));
                            transaction.delete(store.table(), key);
                            transaction.insert(store.table(), key, thread.randomValue());
                        });
    }

    private static void sysbenchReads(
            WorkloadStore store, WorkloadThread thread, Snapshot snapshot) {
        for (int i = 0; i < OLTP_POINT_READS; i++) {
            read(store, thread, snapshot, thread.randomRow(store.rows()));
        }
        for (int i = 0; i < OLTP_SCANS; i++) {
            scan(store, thread, snapshot);
        }
    }

    private static void read(
            WorkloadStore store, WorkloadThread thread, Snapshot snapshot, long row) {
        ByteBuffer target = thread.target();
        int length = snapshot.get(store.table(), thread.key(row), target);
        if (length != WorkloadThread.VALUE_BYTES) {
            throw new IllegalStateException("row read wrong: row=" + row + ", length=" + length);
        }
        thread.use(target.get(0));
    }

    private static void scan(WorkloadStore store, WorkloadThread thread, Snapshot snapshot) {
        Range range = Range.atLeast(thread.key(thread.randomRow(store.rows())));
        try (Cursor cursor = snapshot.cursor(store.table(), range)) {
            int rows = 0;
            while (rows < SCAN_ROWS && cursor.next()) {
                thread.use(cursor.keyView().get(0) + cursor.valueView().get(0));
                rows++;
            }
        }
    }

    /** Runs the work in transactions until one commits. */
    private static long retried(
            WorkloadStore store, WorkloadThread thread, TransactionOptions options, Work work) {
        while (true) {
            try (Transaction transaction = store.engine().begin(options)) {
                work.run(transaction);
                transaction.commit();
                return 1;
            } catch (RetryableException lostOrLate) {
                thread.retried();
            }
        }
    }

    /** The statements of a transaction. */
    private interface Work {
        void run(Transaction transaction);
    }
}
