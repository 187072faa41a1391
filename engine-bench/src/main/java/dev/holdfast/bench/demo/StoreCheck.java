// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.Codec;
import dev.holdfast.Cursor;
import dev.holdfast.Engine;
import dev.holdfast.Finding;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.TypedCursor;
import dev.holdfast.TypedTable;
import dev.holdfast.VerifyReport;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Compares a store with the source, row by row and byte by byte. */
final class StoreCheck {
    /*
     * The rows are walked in key order beside the sorted entries, in as many parts as there are
     * threads. So a row that should not be there is met just as one that is missing.
     */

    private final ImportSource source;
    private final ImportPlan plan;
    private final Differences differences;
    private final int threads;

    StoreCheck(ImportSource source, ImportPlan plan, Differences differences, int threads) {
        this.source = source;
        this.plan = plan;
        this.differences = differences;
        this.threads = threads;
    }

    /** Has the engine verify itself; what it finds is a difference. */
    VerifyReport verify(Engine engine) {
        VerifyReport report = engine.verify();
        for (Finding finding : report.findings()) {
            differences.add(
                    "verify: "
                            + finding.where()
                            + ": "
                            + finding.invariant()
                            + ": expected="
                            + finding.expected()
                            + ", found="
                            + finding.found());
        }
        if (report.findingsOmitted() > 0) {
            differences.add("verify: more findings: count=" + report.findingsOmitted());
        }
        return report;
    }

    /**
     * Checks that every acknowledged batch is there, that every batch is there whole or not at all,
     * and that there is nothing else.
     *
     * @param versions the version that each entry was updated to
     */
    Result compare(Engine engine, BitSet acknowledged, AtomicIntegerArray versions)
            throws InterruptedException, ExecutionException {
        BitSet present = presentBatches(engine);
        BitSet lost = (BitSet) acknowledged.clone();
        lost.andNot(present);
        lost.stream()
                .forEach(batch -> differences.add("acknowledged batch is lost: batch=" + batch));
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Result>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int from = (int) ((long) source.count() * i / threads);
                int to = (int) ((long) source.count() * (i + 1) / threads);
                parts.add(executor.submit(() -> comparePart(engine, present, versions, from, to)));
            }
            Result whole = new Result(present, 0, 0);
            for (Future<Result> part : parts) {
                whole = whole.plus(part.get());
            }
            return whole;
        } finally {
            executor.shutdownNow();
        }
    }

    private BitSet presentBatches(Engine engine) {
        BitSet present = new BitSet();
        TypedTable<Integer, Integer> batches =
                engine.table(StoreSettings.BATCHES, Codec.INT, Codec.INT);
        try (Snapshot snapshot = engine.snapshot();
                TypedCursor<Integer, Integer> cursor = batches.cursor(snapshot, Range.all())) {
            while (cursor.next()) {
                int batch = cursor.key();
                if (batch < 0 || batch >= plan.batchCount()) {
                    differences.add("batch that never was: batch=" + batch);
                } else if (cursor.value() != plan.rowCount(batch)) {
                    differences.add("batch of another length: batch=" + batch);
                } else {
                    present.set(batch);
                }
            }
        }
        return present;
    }

    private Result comparePart(
            Engine engine, BitSet present, AtomicIntegerArray versions, int from, int to) {
        Table files = engine.table(StoreSettings.FILES);
        long rows = 0;
        long bytes = 0;
        int entry = from;
        try (Snapshot snapshot = engine.snapshot();
                Cursor cursor = snapshot.cursor(files, range(from, to))) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                while (entry < to && Arrays.compareUnsigned(source.key(entry), key) < 0) {
                    expectAbsent(present, entry++);
                }
                if (entry == to || !Arrays.equals(source.key(entry), key)) {
                    differences.add("row that never was: key=" + text(key));
                    continue;
                }
                byte[] value = cursor.value();
                compareRow(present, entry, versions.get(entry), value);
                entry++;
                rows++;
                bytes += value.length;
            }
        }
        while (entry < to) {
            expectAbsent(present, entry++);
        }
        return new Result(new BitSet(), rows, bytes);
    }

    /** The first part begins before all keys, the last ends after all. */
    private Range range(int from, int to) {
        byte[] lower = from == 0 ? new byte[0] : source.key(from);
        return to == source.count()
                ? Range.atLeast(lower)
                : Range.closedOpen(lower, source.key(to));
    }

    private void expectAbsent(BitSet present, int entry) {
        int batch = plan.batchOf(entry);
        if (present.get(batch)) {
            differences.add("row is lost: key=" + text(source.key(entry)) + ", batch=" + batch);
        }
    }

    private void compareRow(BitSet present, int entry, int version, byte[] found) {
        int batch = plan.batchOf(entry);
        if (!present.get(batch)) {
            differences.add(
                    "row of a batch that is not there: key="
                            + text(source.key(entry))
                            + ", batch="
                            + batch);
            return;
        }
        byte[] expected = VersionedValue.of(source.value(entry), version);
        int mismatch = Arrays.mismatch(expected, found);
        if (mismatch >= 0) {
            differences.add(
                    "value differs: key="
                            + text(source.key(entry))
                            + ", version="
                            + version
                            + ", offset="
                            + mismatch
                            + ", expectedBytes="
                            + expected.length
                            + ", foundBytes="
                            + found.length);
        }
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    /**
     * What was there.
     *
     * @param batches the batches that are in
     * @param rows the rows of files
     * @param bytes the bytes of their values
     */
    record Result(BitSet batches, long rows, long bytes) {
        Result plus(Result part) {
            return new Result(batches, rows + part.rows, bytes + part.bytes);
        }
    }
}
