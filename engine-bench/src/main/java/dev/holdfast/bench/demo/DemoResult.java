// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.bench.report.EngineCounts;
import dev.holdfast.bench.report.TimeSeries;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a demo measured and found. Filled by {@link Demo} in its course; for one thread. */
public final class DemoResult {
    private final Differences differences = new Differences();
    private final List<Long> recoveryNanos = new ArrayList<>();
    private final TimeSeries importedRows;
    private final TimeSeries loadCalls;

    long startNanos;
    long endNanos;
    int kills;
    int killsInRecovery;
    long rows;
    long bytes;
    long importCommits;
    long importNanos;
    long countedCommits;
    long countedSyncs;
    long batchesUnacknowledged;
    long loadNanos;
    LoadTally load = new LoadTally();
    EngineCounts loadCounts = EngineCounts.NONE;
    String status = "";

    DemoResult(long startNanos) {
        this.startNanos = startNanos;
        importedRows = new TimeSeries("rows imported", startNanos);
        loadCalls = new TimeSeries("calls of the mixed load", startNanos);
    }

    public Differences differences() {
        return differences;
    }

    public TimeSeries importedRows() {
        return importedRows;
    }

    public TimeSeries loadCalls() {
        return loadCalls;
    }

    void recovered(long nanos) {
        recoveryNanos.add(nanos);
    }

    /** How often the import was killed. */
    public int kills() {
        return kills;
    }

    /** Of these, how often while it was opening the store. */
    public int killsInRecovery() {
        return killsInRecovery;
    }

    public long rows() {
        return rows;
    }

    public double megabytes() {
        return bytes / 1e6;
    }

    public double totalSeconds() {
        return seconds(endNanos - startNanos);
    }

    /** The time that importing children had the store open. */
    public double importSeconds() {
        return seconds(importNanos);
    }

    public double importMegabytesPerSecond() {
        return perSecond(megabytes(), importNanos);
    }

    /** Acknowledged commits of the import in a second. */
    public double importCommitsPerSecond() {
        return perSecond((double) importCommits, importNanos);
    }

    /** Commits of the import for each sync of the log. */
    public double importCommitsPerSync() {
        return countedSyncs == 0 ? 0 : (double) countedCommits / countedSyncs;
    }

    /** Batches that were found committed although the kill came before their acknowledgement. */
    public long batchesUnacknowledged() {
        return batchesUnacknowledged;
    }

    /** The times of the opens that had to recover, in milliseconds, in their order. */
    public List<Long> recoveryMillis() {
        return recoveryNanos.stream().map(TimeUnit.NANOSECONDS::toMillis).toList();
    }

    public long recoveryMillisMax() {
        return recoveryMillis().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Calls of one kind in a second of the mixed load. */
    double loadPerSecond(LoadKind kind) {
        return perSecond((double) load.count(kind), loadNanos);
    }

    public double readsPerSecond() {
        return loadPerSecond(LoadKind.READ);
    }

    public double scansPerSecond() {
        return loadPerSecond(LoadKind.SCAN);
    }

    public double updatesPerSecond() {
        return loadPerSecond(LoadKind.UPDATE);
    }

    public double transfersPerSecond() {
        return loadPerSecond(LoadKind.TRANSFER);
    }

    public double rowsScannedPerSecond() {
        return perSecond((double) load.rowsScanned(), loadNanos);
    }

    public long retries() {
        return load.retries();
    }

    public double loadCommitsPerSync() {
        return loadCounts.commitsPerSync();
    }

    /**
     * Of the pages that the engine came to during the mixed load, the share that was in the pool.
     */
    public double hitRatio() {
        return loadCounts.hitRatio();
    }

    /** The engine's own report at the end of the mixed load. */
    public String status() {
        return status;
    }

    private static double seconds(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private static double perSecond(double count, long nanos) {
        return nanos == 0 ? 0 : count / seconds(nanos);
    }
}
