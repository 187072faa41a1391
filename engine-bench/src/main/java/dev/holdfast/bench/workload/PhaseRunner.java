// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.bench.report.EngineCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Runs phases on a store, one after the other. */
public final class PhaseRunner {
    /*
     * All threads meet at a barrier before the warm-up and again before the measuring; at the second
     * one the counters are read, by one of them, while nothing runs. Each thread measures to its own
     * end of the time; the slowest operation lengthens the phase, and with it the time that the
     * rate is taken over.
     */

    private static final int SIGNIFICANT_DIGITS = 3;

    private final WorkloadStore store;
    private final WorkloadOptions options;

    public PhaseRunner(WorkloadStore store, WorkloadOptions options) {
        this.store = store;
        this.options = options;
    }

    /** Runs a phase to its end; throws what any of its threads threw first. */
    public Measurement run(Phase phase) throws InterruptedException, ExecutionException {
        if (phase.name().equals(Phases.LOAD_RANDOM)) {
            store.shuffleLoad();
        }
        Run run = new Run(phase);
        ExecutorService executor = Executors.newFixedThreadPool(phase.threads());
        try {
            // By completion: the thread that threw is met before those that wait for it in vain.
            CompletionService<ThreadResult> threads = new ExecutorCompletionService<>(executor);
            for (int i = 0; i < phase.threads(); i++) {
                WorkloadThread thread = new WorkloadThread(options.seed() * 31 + i);
                threads.submit(() -> run.inThread(thread));
            }
            List<ThreadResult> results = new ArrayList<>();
            for (int i = 0; i < phase.threads(); i++) {
                results.add(threads.take().get());
            }
            return run.measurement(results);
        } finally {
            executor.shutdownNow();
        }
    }

    private EngineCounts counts() {
        return EngineCounts.parse(store.engine().status());
    }

    /** What one thread did in the time measured. */
    private record ThreadResult(
            long units, long endNanos, Histogram latencies, long allocatedBytes, long retries) {}

    /** One phase on its way. */
    private final class Run {
        private final Phase phase;
        private final CyclicBarrier start;
        private final CyclicBarrier measuring;

        /** Written by the last thread at the barrier, read after it. */
        private EngineCounts countsAtStart = EngineCounts.NONE;

        private MachineTime timeAtStart = MachineTime.now();
        private long startNanos;

        Run(Phase phase) {
            this.phase = phase;
            start = new CyclicBarrier(phase.threads());
            measuring = new CyclicBarrier(phase.threads(), this::beginMeasuring);
        }

        private void beginMeasuring() {
            countsAtStart = counts();
            timeAtStart = MachineTime.now();
            startNanos = System.nanoTime();
        }

        ThreadResult inThread(WorkloadThread thread) throws Exception {
            start.await();
            if (phase.isTimed()) {
                long end = System.nanoTime() + options.warmupNanos();
                while (System.nanoTime() < end) {
                    phase.operation().run(store, thread);
                }
            }
            measuring.await();
            return measured(thread);
        }

        private ThreadResult measured(WorkloadThread thread) {
            Histogram latencies = new Histogram(SIGNIFICANT_DIGITS);
            long allocatedBefore = MachineTime.allocatedBytes();
            long retriesBefore = thread.retries();
            long end = phase.isTimed() ? startNanos + options.measureNanos() : Long.MAX_VALUE;
            long units = 0;
            long now = System.nanoTime();
            // Once at least, also where the thread got no processor until the time was over.
            do {
                long done = phase.operation().run(store, thread);
                if (done == Operation.EXHAUSTED) {
                    break;
                }
                long then = System.nanoTime();
                latencies.recordValue(then - now);
                units += done;
                now = then;
            } while (now < end);
            return new ThreadResult(
                    units,
                    now,
                    latencies,
                    MachineTime.allocatedBytes() - allocatedBefore,
                    thread.retries() - retriesBefore);
        }

        Measurement measurement(List<ThreadResult> results) {
            MachineTime timeAtEnd = MachineTime.now();
            EngineCounts counts = counts().minus(countsAtStart);
            Histogram latencies = new Histogram(SIGNIFICANT_DIGITS);
            long units = 0;
            long allocatedBytes = 0;
            long retries = 0;
            long endNanos = startNanos + TimeUnit.MICROSECONDS.toNanos(1);
            for (ThreadResult each : results) {
                latencies.add(each.latencies());
                units += each.units();
                allocatedBytes += each.allocatedBytes();
                retries += each.retries();
                endNanos = Math.max(endNanos, each.endNanos());
            }
            return new Measurement(
                    phase.title(),
                    units,
                    endNanos - startNanos,
                    latencies,
                    allocatedBytes,
                    timeAtEnd.processNanosSince(timeAtStart),
                    timeAtEnd.otherShareSince(timeAtStart),
                    counts.commits(),
                    counts.logSyncs(),
                    retries);
        }
    }
}
