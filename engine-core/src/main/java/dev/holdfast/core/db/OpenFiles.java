// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.FileReport;
import dev.holdfast.FileReport.Row;
import dev.holdfast.FileReport.Work;
import dev.holdfast.core.redo.Lsn;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.stats.FileStatistics;
import dev.holdfast.sync.Histogram;
import java.util.ArrayList;
import java.util.List;

/** What every open file of a store did, as the API has it. */
final class OpenFiles {
    private static final int P99 = 99;

    private final List<Row> rows = new ArrayList<>();

    private OpenFiles() {}

    /** As it is now. */
    static FileReport now(StorageLayer storage) {
        OpenFiles files = new OpenFiles();
        int pageBytes = storage.store().identity().pageBytes();
        storage.checkpoints().eachFile((file, number) -> files.add(file, number, Lsn.BLOCK_BYTES));
        storage.log().eachFile((file, number) -> files.add(file, number, Lsn.BLOCK_BYTES));
        storage.doublewrite().eachFile((file, number) -> files.add(file, number, pageBytes));
        storage.store().files().eachFile((file, number) -> files.add(file, number, pageBytes));
        return new FileReport(files.rows);
    }

    private void add(StorageFile file, int number, int pageBytes) {
        FileStatistics counted = file.statistics();
        Histogram.Snapshot reads = counted.readLatency();
        Histogram.Snapshot writes = counted.writeLatency();
        Histogram.Snapshot syncs = counted.syncLatency();
        rows.add(
                new Row(
                        file.name(),
                        number,
                        work(
                                counted.reads(),
                                counted.readBytes(),
                                counted.readNanos(),
                                pageBytes,
                                reads,
                                counted.readMerges()),
                        work(
                                counted.writes(),
                                counted.writeBytes(),
                                counted.writeNanos(),
                                pageBytes,
                                writes,
                                counted.writeMerges()),
                        work(counted.syncs(), 0, counted.syncNanos(), pageBytes, syncs, 0)));
    }

    private static Work work(
            long requests,
            long bytes,
            long nanos,
            int pageBytes,
            Histogram.Snapshot latency,
            long merges) {
        return new Work(
                requests,
                bytes / pageBytes,
                bytes,
                nanos,
                latency.percentile(P99),
                latency.max(),
                merges);
    }
}
