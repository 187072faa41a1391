// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.WaitTiming;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

/** A phase under some settings of the engine, in this JVM, on a store that is new in each life. */
public final class EngineSide implements LiveSide {
    /*
     * After a turn the engine makes a checkpoint: else its cleaner would go on writing in the turns
     * of the others, as much as the turn had left, and each turn would begin with another age of
     * the log. So turns that change rows begin all alike, with a clean pool and an empty log; pages
     * are written within a turn only if it is long enough to need it.
     *
     * A turn of a load is a store of its own, opened before it is timed.
     *
     * How waits are timed is a setting of the JVM: the engine opened last has its way. So sides that
     * differ in nothing else work on one store, and each sets it for its turns.
     */

    private final WorkloadOptions options;
    private final Phase phase;
    private final Directories directories;
    private final EngineSide host;
    private Path directory;
    private WorkloadStore store;
    private int turns;

    /** Compares an engine; the options say how, and how long a turn is. */
    public EngineSide(WorkloadOptions options, Phase phase, Directories directories) {
        this(options, phase, directories, null);
    }

    private EngineSide(
            WorkloadOptions options, Phase phase, Directories directories, EngineSide host) {
        this.options = options;
        this.phase = phase;
        this.directories = directories;
        this.host = host;
    }

    /** A side that works on this one's store, with waits timed as {@code other} says. */
    public EngineSide beside(WorkloadOptions other) {
        return new EngineSide(other, phase, directories, this);
    }

    /** Whether {@code other} differs from this side at most in how waits are timed. */
    public boolean sharesStoreWith(WorkloadOptions other) {
        return phase.isTimed() && untimed(options).equals(untimed(other));
    }

    private static String untimed(WorkloadOptions options) {
        return options.engine().toBuilder().timeWaits(WaitTiming.OFF).build().toString();
    }

    @Override
    public void begin() throws IOException, InterruptedException, ExecutionException {
        turns = 0;
        if (host == null && phase.isTimed()) {
            open();
            new PhaseRunner(store, options).run(Phases.parse(Phases.LOAD_SEQUENTIAL));
            store.engine().checkpoint();
        }
    }

    /** The rows of each turn are others, and the same for all sides. */
    @Override
    public Turn turn() throws IOException, InterruptedException, ExecutionException {
        if (!phase.isTimed()) {
            open();
        }
        WorkloadOptions ofTurn =
                new WorkloadOptions(
                        options.rows(),
                        options.warmupNanos(),
                        options.measureNanos(),
                        options.seed() + turns,
                        options.engine());
        turns++;
        if (phase.isTimed()) {
            TimedSites.set(options.engine().timeWaits());
        }
        Measurement measured = new PhaseRunner(store(), ofTurn).run(phase);
        return new Turn(measured.unitsPerSecond(), measured.otherCpuShare());
    }

    @Override
    public void settle() throws IOException {
        if (phase.isTimed()) {
            store().engine().checkpoint();
        } else {
            end();
        }
    }

    @Override
    public void end() throws IOException {
        if (store != null) {
            store.close();
            store = null;
        }
        if (directory != null) {
            directories.remove(directory);
            directory = null;
        }
    }

    /** The host may begin a life after those beside it. */
    private WorkloadStore store() {
        return host == null ? store : host.store;
    }

    private void open() throws IOException {
        directory = directories.make();
        store = WorkloadStore.open(directory, options);
    }
}
