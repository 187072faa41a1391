// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.checksum;

import dev.holdfast.EngineOptions;
import dev.holdfast.bench.report.EngineCounts;
import dev.holdfast.bench.workload.Measurement;
import dev.holdfast.bench.workload.PhaseRunner;
import dev.holdfast.bench.workload.Phases;
import dev.holdfast.bench.workload.WorkloadOptions;
import dev.holdfast.bench.workload.WorkloadStore;
import dev.holdfast.io.checksum.PageChecksums;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

/**
 * Inserts rows in random order into a pool that holds a part of them, and finds what share of the
 * processor time went into sums of pages.
 */
public final class ChecksumShare {
    /*
     * The ancestor's figures are a profiler's, of all processor time of the server. Here the share of
     * samples is of what runs in Java; the other is of all processor time of the process, compilers
     * and collector included: pages summed (each written, each read) times what a page's sum costs by
     * itself, measured in the same JVM right after.
     */
    private static final String INSERTS = Phases.LOAD_RANDOM;

    private final PageSumCost cost = new PageSumCost();

    /** Runs the load on a new store. */
    public Share measure(Path directory, WorkloadOptions options)
            throws IOException, InterruptedException, ExecutionException {
        EngineOptions engine = options.engine();
        try (WorkloadStore store = WorkloadStore.open(directory, options);
                CpuSamples samples = new CpuSamples()) {
            long pagesBefore = pagesSummed(store);
            Measurement load = new PhaseRunner(store, options).run(Phases.parse(INSERTS));
            long pages = pagesSummed(store) - pagesBefore;
            CpuSamples.Counts counts = samples.end();
            double nanosPerPage =
                    cost.nanosPerPage(PageChecksums.byName(engine.checksum()), engine.pageBytes());
            return new Share(
                    load.unitsPerSecond(),
                    load.unitsPerCpuSecond(),
                    pages,
                    nanosPerPage,
                    load.cpuNanos() <= 0 ? 0 : pages * nanosPerPage / load.cpuNanos(),
                    counts.all(),
                    counts.share());
        }
    }

    private static long pagesSummed(WorkloadStore store) {
        String status = store.engine().status();
        return EngineCounts.counter(status, "buffer.PAGES_WRITTEN")
                + EngineCounts.counter(status, "buffer.PAGE_FIXES_MISSED");
    }

    /**
     * What one run came to.
     *
     * @param rowsPerSecond inserted
     * @param rowsPerCpuSecond for each second of processor time
     * @param pages written and read, each summed once
     * @param nanosPerPage what one sum costs
     * @param cpuShare of all processor time of the process, computed from these
     * @param samples of Java code
     * @param sampleShare of them in sums of pages
     */
    public record Share(
            double rowsPerSecond,
            double rowsPerCpuSecond,
            long pages,
            double nanosPerPage,
            double cpuShare,
            long samples,
            double sampleShare) {}
}
