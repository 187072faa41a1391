// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.bench.report.TimeSeries;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The importing JVM as its parent sees it: what it has acknowledged, and the means to kill it. Its
 * standard error is the parent's.
 */
final class ImportProcess implements AutoCloseable {
    /*
     * One thread reads the pipe to its end, also after the kill: what the child wrote before it
     * died is acknowledged, whether or not the parent had read it. All fields below the process are
     * guarded by this; the reader notifies at each line.
     */

    private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(120);

    private final Process process;
    private final Thread reader;
    private final ImportPlan plan;
    private final TimeSeries rowsPerSecond;

    private final BitSet acknowledged = new BitSet();
    private long acknowledgedRows;
    private boolean isOpening;
    private boolean isFinished;
    private boolean isPipeEnded;
    private IOException pipeFailure;
    private long openMicros = -1;
    private long openedNanos;
    private long lastLineNanos = System.nanoTime();
    private long commits;
    private long logSyncs;

    private ImportProcess(Process process, ImportPlan plan, TimeSeries rowsPerSecond) {
        this.process = process;
        this.plan = plan;
        this.rowsPerSecond = rowsPerSecond;
        reader = new Thread(this::read, "import-pipe");
    }

    static ImportProcess start(List<String> command, ImportPlan plan, TimeSeries rowsPerSecond)
            throws IOException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        ImportProcess started = new ImportProcess(process, plan, rowsPerSecond);
        started.reader.setDaemon(true);
        started.reader.start();
        return started;
    }

    /** Waits until the child is about to open the store, or ended. */
    synchronized void awaitOpening() throws InterruptedException {
        while (!isOpening && !isPipeEnded) {
            awaitLine();
        }
    }

    /** Waits until that many rows are acknowledged, or the child ended. */
    synchronized void awaitRows(long rows) throws InterruptedException {
        while (acknowledgedRows < rows && !isPipeEnded) {
            awaitLine();
        }
    }

    /** Lets the child go on for some time, or until it ends. */
    void letRun(long nanos) throws InterruptedException {
        if (process.waitFor(nanos, TimeUnit.NANOSECONDS)) {
            reader.join();
        }
    }

    /** Ends the child as it is (SIGKILL), and reads what it had written into the pipe. */
    void kill() throws InterruptedException, IOException {
        process.toHandle().destroyForcibly(); // Process itself would close our end of the pipe.
        process.waitFor();
        reader.join();
        checkPipe();
    }

    /** Waits for the end; says whether the child finished the import and ended well. */
    boolean awaitEnd() throws InterruptedException, IOException {
        synchronized (this) {
            while (!isPipeEnded) {
                awaitLine();
            }
        }
        int exitCode = process.waitFor();
        checkPipe();
        return exitCode == 0 && isFinished();
    }

    synchronized BitSet acknowledged() {
        return (BitSet) acknowledged.clone();
    }

    synchronized boolean isFinished() {
        return isFinished;
    }

    /** Returns how long the child took to open the store, or -1 if it did not come to that. */
    synchronized long openMicros() {
        return openMicros;
    }

    /** Returns for how long it has been importing. */
    synchronized long importNanos() {
        return openMicros < 0 ? 0 : lastLineNanos - openedNanos;
    }

    synchronized long commits() {
        return commits;
    }

    synchronized long logSyncs() {
        return logSyncs;
    }

    /** Kills the child if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    private synchronized void checkPipe() throws IOException {
        if (pipeFailure != null) {
            throw new IOException("pipe of the import failed", pipeFailure);
        }
    }

    @SuppressWarnings("WaitNotInLoop") // all that call it loop
    private void awaitLine() throws InterruptedException {
        long silence = System.nanoTime() - lastLineNanos;
        if (silence > SILENCE_NANOS_MAX) {
            throw new IllegalStateException(
                    "import is silent: seconds=" + TimeUnit.NANOSECONDS.toSeconds(silence));
        }
        wait(1_000);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                process.getInputStream(), StandardCharsets.US_ASCII))) {
            String text = lines.readLine();
            while (text != null) {
                ImportLine.parse(text).ifPresent(this::take);
                text = lines.readLine();
            }
        } catch (IOException e) {
            fail(e);
        } finally {
            end();
        }
    }

    private synchronized void take(ImportLine line) {
        lastLineNanos = System.nanoTime();
        switch (line.kind()) {
            case OPENING -> isOpening = true;
            case OPEN -> {
                openMicros = line.first();
                openedNanos = lastLineNanos;
            }
            case DONE -> acknowledge((int) line.first());
            case COUNTS -> {
                commits = line.first();
                logSyncs = line.second();
            }
            case FINISHED -> isFinished = true;
        }
        notifyAll();
    }

    private void acknowledge(int batch) {
        acknowledged.set(batch);
        acknowledgedRows += plan.rowCount(batch);
        rowsPerSecond.add(lastLineNanos, plan.rowCount(batch));
    }

    private synchronized void fail(IOException failure) {
        pipeFailure = failure;
    }

    private synchronized void end() {
        isPipeEnded = true;
        notifyAll();
    }
}
