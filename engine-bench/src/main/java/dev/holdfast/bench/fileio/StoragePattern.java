// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * The requests of a storage engine without the engine: small synced appends, doublewrite batches
 * and random pages, at once. Create, {@link #run} as often as wanted, close.
 */
public final class StoragePattern implements AutoCloseable {
    /*
     * A user reads a page. Now and then the page becomes dirty: then the user appends to both
     * logs, as a commit does, and hands the page to the flusher. The flusher gathers a batch,
     * writes it to the doublewrite file and syncs that; the writers write its pages to their
     * places; the flusher syncs the data file and gathers the next. Users who dirty more than is
     * flushed wait, so what the pattern settles at is what an engine could keep up for ever. With
     * no users the flusher draws its pages itself, and what is measured is how fast the device
     * flushes.
     *
     * Shares and lengths are those of Callaghan's InnoDB simulator (2011), by default.
     */
    private final FileioOptions options;
    private final List<StorageFile> files = new ArrayList<>();
    private final PatternFiles patternFiles;

    private StoragePattern(FileioOptions options, StorageDirectory directory) throws IOException {
        this.options = options;
        try {
            StorageFile data = create(directory, "data");
            Buffers.fill(data, options.dataBytes(), options.seed());
            SyncedLog log =
                    SyncedLog.over(
                            create(directory, "log"),
                            options.logBytes(),
                            true,
                            options.mode(),
                            options.seed());
            SyncedLog secondLog =
                    options.secondLogBytes() == 0
                            ? null
                            : SyncedLog.over(
                                    create(directory, "secondlog"),
                                    options.secondLogBytes(),
                                    false,
                                    options.mode(),
                                    options.seed());
            StorageFile doublewrite = create(directory, "doublewrite");
            Buffers.fill(
                    doublewrite,
                    (long) FileioOptions.BATCH_PAGES_MAX * options.pageBytes(),
                    options.seed());
            patternFiles = new PatternFiles(data, log, secondLog, doublewrite);
        } catch (IOException | RuntimeException | Error e) {
            try {
                close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Makes the files, filled and synced. */
    public static StoragePattern create(StorageDirectory directory, FileioOptions options)
            throws IOException {
        return new StoragePattern(options, directory);
    }

    private StorageFile create(StorageDirectory directory, String name) throws IOException {
        StorageFile file = directory.create(name);
        files.add(file);
        return file;
    }

    /** Runs as the options it was created with say. */
    public Result run() throws InterruptedException, ExecutionException {
        return run(options);
    }

    /** Runs with other options on the same files; the lengths of files and appends stay. */
    public Result run(FileioOptions how) throws InterruptedException, ExecutionException {
        PatternRun run = new PatternRun(how, patternFiles);
        List<Callable<PatternTally>> threads = new ArrayList<>();
        for (int i = 0; i < how.users(); i++) {
            long seed = how.seed() * 31 + i;
            threads.add(() -> run.user(seed));
        }
        if (how.writers() > 0) {
            threads.add(run::flusher);
        }
        for (int i = 0; i < how.writers(); i++) {
            long seed = how.seed() * 37 + i;
            threads.add(() -> run.writer(seed));
        }
        List<PatternTally> tallies = Team.run(threads);
        PatternTally all = run.tally();
        for (PatternTally each : tallies) {
            all.add(each);
        }
        return new Result(all.over(run.measuredNanos()), run.stalls());
    }

    /** The open files, for their statistics. */
    public List<StorageFile> files() {
        return List.copyOf(files);
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (StorageFile file : files) {
            try {
                file.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        files.clear();
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * What came of it.
     *
     * @param streams by kind; a kind that there was none of has no operations
     * @param stalls how often a user found no place for a dirty page and waited
     */
    public record Result(Map<Stream, Throughput> streams, long stalls) {
        public Result {
            streams = Map.copyOf(streams);
        }

        public Throughput of(Stream stream) {
            return streams.get(stream);
        }
    }

    /** The files by their use; there may be no second log. */
    record PatternFiles(
            StorageFile data, SyncedLog log, SyncedLog secondLog, StorageFile doublewrite) {}

    /** A thread's operations by kind, those that ended in the time measured. */
    static final class PatternTally {
        private final Map<Stream, Tally> tallies = new EnumMap<>(Stream.class);
        private final long fromNanos;

        PatternTally(long fromNanos) {
            this.fromNanos = fromNanos;
            for (Stream stream : Stream.values()) {
                tallies.put(stream, new Tally());
            }
        }

        /** Takes an operation that has just ended, and returns the time. */
        long took(Stream stream, long startNanos, long bytes) {
            long now = System.nanoTime();
            if (startNanos - fromNanos >= 0) {
                tallies.get(stream).add(startNanos, now, bytes);
            }
            return now;
        }

        void add(PatternTally other) {
            tallies.forEach((stream, tally) -> tally.add(other.tallies.get(stream)));
        }

        Map<Stream, Throughput> over(long nanos) {
            Map<Stream, Throughput> all = new EnumMap<>(Stream.class);
            tallies.forEach((stream, tally) -> all.put(stream, tally.over(nanos)));
            return all;
        }
    }
}
