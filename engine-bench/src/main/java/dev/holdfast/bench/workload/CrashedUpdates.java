// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.Engine;
import dev.holdfast.VerifyReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures recovery: a JVM of its own loads a store and updates rows by several threads with
 * commits that wait for nothing, is killed, and the next open is timed.
 */
public final class CrashedUpdates {
    /** What the child says once the load is in and the updates begin. */
    private static final String READY = "ready";

    private static final int THREADS = 4;

    private final Path directory;
    private final WorkloadOptions options;

    public CrashedUpdates(Path directory, WorkloadOptions options) {
        this.directory = directory;
        this.options = options;
    }

    /** In the child: loads, says so, and updates until this JVM is killed. */
    public void runUntilKilled(OutputStream pipe)
            throws IOException, InterruptedException, ExecutionException {
        try (WorkloadStore store = WorkloadStore.open(directory, options)) {
            PhaseRunner runner = new PhaseRunner(store, options);
            runner.run(Phases.parse(Phases.LOAD_SEQUENTIAL));
            store.engine().checkpoint();
            pipe.write((READY + '\n').getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
            Operation update = Phases.parse("update-nosync").operation();
            ExecutorService executor = Executors.newFixedThreadPool(THREADS);
            List<Future<?>> endless = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                WorkloadThread thread = new WorkloadThread(options.seed() + i);
                endless.add(executor.submit(() -> updateForever(store, thread, update)));
            }
            for (Future<?> updates : endless) {
                updates.get();
            }
        }
    }

    private static void updateForever(
            WorkloadStore store, WorkloadThread thread, Operation update) {
        while (!Thread.currentThread().isInterrupted()) {
            update.run(store, thread);
        }
    }

    /**
     * In the parent: starts the child, kills it after some time of updates, and opens the store.
     *
     * @param command the command line that runs {@link #runUntilKilled} on the same directory
     */
    public Result measure(List<String> command, long updateNanos)
            throws IOException, InterruptedException {
        Process child =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = lines.readLine();
            if (!READY.equals(line)) {
                throw new IllegalStateException("child failed to load: line=" + line);
            }
            if (child.waitFor(updateNanos, TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException(
                        "child ended by itself: exitCode=" + child.exitValue());
            }
        } finally {
            child.destroyForcibly();
            child.waitFor();
        }
        return open();
    }

    private Result open() {
        long start = System.nanoTime();
        try (Engine engine = Engine.open(directory, options.engine())) {
            long openNanos = System.nanoTime() - start;
            String status = engine.status();
            VerifyReport report = engine.verify();
            return new Result(
                    openNanos,
                    recovered(status, "endLsn") - recovered(status, "startLsn"),
                    recovered(status, "records"),
                    report.isSound() && report.rows() >= options.rows());
        }
    }

    /** Takes a figure out of the line that the status report has on recovery. */
    private static long recovered(String status, String name) {
        Matcher found =
                Pattern.compile("^recovery: .*\\b" + name + "=(\\d+)", Pattern.MULTILINE)
                        .matcher(status);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /**
     * What the open after the kill was like.
     *
     * @param openNanos how long it took
     * @param redoBytes the log that was read
     * @param records the redo records in it
     * @param isSound whether the store verified itself afterwards and has all rows
     */
    public record Result(long openNanos, long redoBytes, long records, boolean isSound) {
        public double openMillis() {
            return openNanos / 1e6;
        }

        public double megabytesPerSecond() {
            return openNanos == 0 ? 0 : redoBytes * 1e3 / openNanos;
        }

        public double recordsPerSecond() {
            return openNanos == 0 ? 0 : records * 1e9 / openNanos;
        }
    }
}
