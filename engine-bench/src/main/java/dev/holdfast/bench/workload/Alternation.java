// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.EngineOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Compares two settings of the engine in one run, A B A B …, each time on a new store, so that what
 * the machine does meanwhile falls on both.
 */
public final class Alternation {
    private final WorkloadOptions options;
    private final EngineOptions a;
    private final EngineOptions b;

    /** Takes the rows and times from the options, the engine's settings from the other two. */
    public Alternation(WorkloadOptions options, EngineOptions a, EngineOptions b) {
        this.options = options;
        this.a = a;
        this.b = b;
    }

    /**
     * Runs a phase so many times with each setting.
     *
     * @param directories gives a directory for each run and removes it after
     */
    public Result run(Phase phase, int rounds, Directories directories)
            throws IOException, InterruptedException, ExecutionException {
        List<Double> ofA = new ArrayList<>();
        List<Double> ofB = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            directories.use(directory -> ofA.add(measure(phase, a, directory)));
            directories.use(directory -> ofB.add(measure(phase, b, directory)));
        }
        return new Result(ofA, ofB);
    }

    private double measure(Phase phase, EngineOptions engine, Path directory)
            throws InterruptedException, ExecutionException {
        WorkloadOptions one =
                new WorkloadOptions(
                        options.rows(),
                        options.warmupNanos(),
                        options.measureNanos(),
                        options.seed(),
                        engine);
        try (WorkloadStore store = WorkloadStore.open(directory, one)) {
            PhaseRunner runner = new PhaseRunner(store, one);
            if (phase.isTimed()) {
                runner.run(Phases.parse(Phases.LOAD_SEQUENTIAL));
            }
            return runner.run(phase).unitsPerSecond();
        }
    }

    /** Lends directories. */
    public interface Directories {
        /** Makes a directory, has it used, and removes it. */
        void use(Use use) throws IOException, InterruptedException, ExecutionException;
    }

    /** What is done in a lent directory. */
    public interface Use {
        void in(Path directory) throws InterruptedException, ExecutionException;
    }

    /**
     * Units in a second, run by run.
     *
     * @param ofA with the first settings
     * @param ofB with the second
     */
    public record Result(List<Double> ofA, List<Double> ofB) {
        public Result {
            ofA = List.copyOf(ofA);
            ofB = List.copyOf(ofB);
        }

        public double medianOfA() {
            return median(ofA);
        }

        public double medianOfB() {
            return median(ofB);
        }

        /** The median of B over A of each round: above one, B is faster. */
        public double medianRatio() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < ofA.size(); i++) {
                ratios.add(ofB.get(i) / ofA.get(i));
            }
            return median(ratios);
        }

        /** The greatest over the smallest of each setting, the worse of the two: the noise. */
        public double spread() {
            return Math.max(
                    Collections.max(ofA) / Collections.min(ofA),
                    Collections.max(ofB) / Collections.min(ofB));
        }

        private static double median(List<Double> values) {
            List<Double> sorted = new ArrayList<>(values);
            Collections.sort(sorted);
            int middle = sorted.size() / 2;
            return sorted.size() % 2 == 1
                    ? sorted.get(middle)
                    : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        }
    }
}
