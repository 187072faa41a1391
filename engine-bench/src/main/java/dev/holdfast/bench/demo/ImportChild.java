// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.CloseMode;
import dev.holdfast.Codec;
import dev.holdfast.Engine;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TypedTable;
import dev.holdfast.bench.demo.ImportLine.Kind;
import dev.holdfast.bench.report.EngineCounts;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Imports what is not in the store yet and acknowledges each commit once it has returned. Runs in a
 * JVM that its parent kills.
 */
public final class ImportChild {
    /*
     * Rows are inserted, never put: a row that a lost transaction has left behind then fails the
     * import instead of being covered by what comes.
     */

    private static final long COUNTS_EVERY_MILLIS = 100;

    private final StoreSettings settings;
    private final SourceSettings sourceSettings;
    private final int threads;
    private final OutputStream pipe;

    /** The pipe is the process's standard output, which nothing else may write to. */
    public ImportChild(
            StoreSettings settings, SourceSettings sourceSettings, int threads, OutputStream pipe) {
        this.settings = settings;
        this.sourceSettings = sourceSettings;
        this.threads = threads;
        this.pipe = pipe;
    }

    /** Imports, closes the store and says so; throws what any thread of it threw first. */
    public void run() throws IOException, InterruptedException, ExecutionException {
        ImportSource source = ImportSource.open(settings.pageBytes(), sourceSettings);
        ImportPlan plan = new ImportPlan(source.count(), sourceSettings.seed());
        say(ImportLine.of(Kind.OPENING));
        long start = System.nanoTime();
        try (Engine engine = Engine.open(settings.directory(), settings.options(CloseMode.CLEAN))) {
            long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
            say(ImportLine.of(Kind.OPEN, micros));
            importAll(engine, source, plan);
            sayCounts(engine);
        }
        say(ImportLine.of(Kind.FINISHED));
    }

    private void importAll(Engine engine, ImportSource source, ImportPlan plan)
            throws InterruptedException, ExecutionException {
        AtomicInteger nextPlace = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> importers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                importers.add(
                        executor.submit(() -> importBatches(engine, source, plan, nextPlace)));
            }
            for (Future<?> importer : importers) {
                awaitWithCounts(importer, engine);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private void awaitWithCounts(Future<?> importer, Engine engine)
            throws InterruptedException, ExecutionException {
        while (!importer.isDone()) {
            try {
                importer.get(COUNTS_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException stillRunning) {
                sayCounts(engine);
            }
        }
        importer.get();
    }

    private void importBatches(
            Engine engine, ImportSource source, ImportPlan plan, AtomicInteger nextPlace) {
        Table files = engine.table(StoreSettings.FILES);
        TypedTable<Integer, Integer> batches =
                engine.table(StoreSettings.BATCHES, Codec.INT, Codec.INT);
        int place = nextPlace.getAndIncrement();
        while (place < plan.batchCount()) {
            int batch = plan.batchAt(place);
            if (!engine.read(snapshot -> batches.contains(snapshot, batch))) {
                if (plan.isRehearsed(batch)) {
                    rehearse(engine, files, source, plan, batch);
                }
                try (Transaction transaction = engine.begin()) {
                    for (int i = plan.firstEntry(batch); i < plan.endEntry(batch); i++) {
                        transaction.insert(files, source.key(i), source.value(i));
                    }
                    batches.insert(transaction, batch, plan.rowCount(batch));
                    transaction.commit(plan.durability(batch));
                }
                say(ImportLine.of(Kind.DONE, batch));
            }
            place = nextPlace.getAndIncrement();
        }
    }

    /** Writes the rows of a batch with wrong values and takes them back. */
    private static void rehearse(
            Engine engine, Table files, ImportSource source, ImportPlan plan, int batch) {
        try (Transaction transaction = engine.begin()) {
            for (int i = plan.firstEntry(batch); i < plan.endEntry(batch); i++) {
                transaction.insert(files, source.key(i), source.key(i));
            }
            transaction.rollback();
        }
    }

    private void sayCounts(Engine engine) {
        EngineCounts counts = EngineCounts.parse(engine.status());
        say(new ImportLine(Kind.COUNTS, counts.commits(), counts.logSyncs()));
    }

    private void say(ImportLine line) {
        byte[] bytes = (line.toText() + '\n').getBytes(StandardCharsets.US_ASCII);
        synchronized (pipe) {
            try {
                pipe.write(bytes);
                pipe.flush();
            } catch (IOException e) {
                throw new UncheckedIOException("parent gone: line=" + line.toText(), e);
            }
        }
    }
}
