// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.Cursor;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.Limits;
import dev.holdfast.Range;
import dev.holdfast.RetryableException;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.bench.report.TimeSeries;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Reads, scans, updates and transfers by several threads for some time, each result judged at once.
 *
 * <p>An entry is updated by one thread only, which therefore knows its version; everybody reads it.
 */
final class MixedLoad {
    private static final TransactionOptions LAZY =
            TransactionOptions.defaults().durability(Durability.LAZY);
    private static final int SCAN_ROWS_MAX = 500;

    private final Engine engine;
    private final ImportSource source;
    private final SourceChecksums checksums;
    private final AtomicIntegerArray versions;
    private final Differences differences;
    private final TimeSeries callsPerSecond;
    private final Table files;
    private final Accounts accounts;

    MixedLoad(
            Engine engine,
            ImportSource source,
            SourceChecksums checksums,
            AtomicIntegerArray versions,
            Differences differences,
            TimeSeries callsPerSecond) {
        this.engine = engine;
        this.source = source;
        this.checksums = checksums;
        this.versions = versions;
        this.differences = differences;
        this.callsPerSecond = callsPerSecond;
        files = engine.table(StoreSettings.FILES);
        accounts = Accounts.open(engine);
    }

    /** Runs until the time is over and returns what was done. */
    LoadTally run(int threads, long nanos, long seed)
            throws InterruptedException, ExecutionException {
        accounts.fill();
        long end = System.nanoTime() + nanos;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<LoadTally>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Worker worker = new Worker(i, threads, new SplittableRandom(seed + i));
                workers.add(executor.submit(() -> worker.run(end)));
            }
            LoadTally tally = new LoadTally();
            for (Future<LoadTally> worker : workers) {
                tally.add(worker.get());
            }
            return tally;
        } finally {
            executor.shutdownNow();
        }
    }

    /** One thread of the load. */
    private final class Worker {
        private final int index;
        private final int threads;
        private final SplittableRandom random;
        private final LoadTally tally = new LoadTally();

        Worker(int index, int threads, SplittableRandom random) {
            this.index = index;
            this.threads = threads;
            this.random = random;
        }

        LoadTally run(long end) {
            long now = System.nanoTime();
            while (now < end) {
                LoadKind kind = LoadKind.of(random.nextInt(100));
                perform(kind);
                long then = System.nanoTime();
                tally.did(kind, then - now);
                callsPerSecond.add(then, 1);
                now = then;
            }
            return tally;
        }

        private void perform(LoadKind kind) {
            switch (kind) {
                case READ -> read(random.nextInt(source.count()));
                case SCAN -> scan(random.nextInt(source.count()));
                case UPDATE -> update(ownEntry());
                case TRANSFER -> tally.retried(accounts.transfer(random) - 1L);
                case AUDIT -> audit();
            }
        }

        /** One of this thread's rows whose value leaves room for a version. */
        private int ownEntry() {
            int entries = source.count() / threads;
            int entry;
            do {
                entry = index + threads * random.nextInt(entries);
            } while (checksums.length(entry)
                    > Limits.VALUE_BYTES_MAX - VersionedValue.TRAILER_BYTES);
            return entry;
        }

        private void read(int entry) {
            byte[] value = engine.read(snapshot -> snapshot.get(files, source.key(entry)));
            if (value == null || !checksums.isSound(entry, value)) {
                differences.add("load: row read wrong: key=" + text(entry));
            }
        }

        private void scan(int entry) {
            int from = checksums.packageStart(entry);
            int to = Math.min(checksums.packageEnd(entry), from + SCAN_ROWS_MAX);
            int next = from;
            try (Snapshot snapshot = engine.snapshot();
                    Cursor cursor =
                            snapshot.cursor(files, Range.prefix(source.packagePrefix(entry)))) {
                while (next < to && cursor.next()) {
                    int bytes = cursor.valueView().remaining() - checksums.length(next);
                    if (!Arrays.equals(cursor.key(), source.key(next))
                            || (bytes != 0 && bytes != VersionedValue.TRAILER_BYTES)) {
                        differences.add("load: row scanned wrong: key=" + text(next));
                    }
                    next++;
                }
            }
            if (next < to) {
                differences.add(
                        "load: scan ended early: from=" + text(from) + ", at=" + text(next));
            }
            tally.scanned(next - from);
        }

        private void update(int entry) {
            int version = versions.get(entry) + 1;
            boolean isCommitted = false;
            while (!isCommitted) {
                try (Transaction transaction = engine.begin(LAZY)) {
                    byte[] old = transaction.get(files, source.key(entry));
                    byte[] bare = VersionedValue.source(old, checksums.length(entry));
                    transaction.put(files, source.key(entry), VersionedValue.of(bare, version));
                    transaction.commit();
                    isCommitted = true;
                } catch (RetryableException lostOrLate) {
                    tally.retried(1);
                }
            }
            versions.set(entry, version);
        }

        private void audit() {
            long sum = accounts.sum();
            if (sum != Accounts.SUM) {
                differences.add(
                        "load: sum of accounts changed: expected="
                                + Accounts.SUM
                                + ", found="
                                + sum);
            }
        }

        private String text(int entry) {
            return new String(source.key(entry), StandardCharsets.UTF_8);
        }
    }
}
