// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.EngineOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

/** A phase under some settings of the engine, in this JVM, each time on a new store. */
public final class EngineSide implements Alternation.Side {
    private final WorkloadOptions options;
    private final Phase phase;
    private final Directories directories;

    /**
     * Takes the rows and times from the options, the engine's settings from the other.
     *
     * @param directories gives a directory for each run and removes it after
     */
    public EngineSide(
            WorkloadOptions options, EngineOptions engine, Phase phase, Directories directories) {
        this.options =
                new WorkloadOptions(
                        options.rows(),
                        options.warmupNanos(),
                        options.measureNanos(),
                        options.seed(),
                        engine);
        this.phase = phase;
        this.directories = directories;
    }

    @Override
    public double unitsPerSecond() throws IOException, InterruptedException, ExecutionException {
        return directories.lend(this::measure);
    }

    private double measure(Path directory)
            throws IOException, InterruptedException, ExecutionException {
        try (WorkloadStore store = WorkloadStore.open(directory, options)) {
            PhaseRunner runner = new PhaseRunner(store, options);
            if (phase.isTimed()) {
                runner.run(Phases.parse(Phases.LOAD_SEQUENTIAL));
            }
            return runner.run(phase).unitsPerSecond();
        }
    }

    /** Lends directories. */
    public interface Directories {
        /** Makes a directory, has it used, and removes it. */
        double lend(Use use) throws IOException, InterruptedException, ExecutionException;
    }

    /** What is done in a lent directory. */
    public interface Use {
        double in(Path directory) throws IOException, InterruptedException, ExecutionException;
    }
}
