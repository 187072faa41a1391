// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.bench.report.EngineCounts;
import dev.holdfast.bench.workload.Measurement;
import dev.holdfast.bench.workload.Phase;
import dev.holdfast.bench.workload.PhaseRunner;
import dev.holdfast.bench.workload.Phases;
import dev.holdfast.bench.workload.WorkloadOptions;
import dev.holdfast.bench.workload.WorkloadStore;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * An engine under a load beside the bare device under the same kind of requests, in turn. The
 * engine stays open, loaded and warm.
 */
public final class DeviceShare implements AutoCloseable {
    /*
     * Both have the same file system, file mode and page length. After its turn the engine writes
     * what it owes (a checkpoint, untimed), so that the device has its own turn to itself.
     *
     * The ceiling of durable updates is a log alone: as many threads, each append of as many bytes
     * as the engine's redo had for a commit in its last turn, one writing and syncing for all.
     */
    private static final int FIRST_APPEND_BYTES = 512;

    private final EngineLoad load;
    private final WorkloadOptions options;
    private final FileioOptions device;
    private final Phase phase;
    private final WorkloadStore store;
    private final BareDevice bare;

    private int appendBytes = FIRST_APPEND_BYTES;
    private double unitsPerSecond;
    private double commitsPerSync;

    private DeviceShare(
            EngineLoad load,
            int threads,
            WorkloadOptions options,
            FileioOptions device,
            WorkloadStore store,
            BareDevice bare) {
        this.load = load;
        this.options = options;
        this.device = device;
        this.store = store;
        this.bare = bare;
        phase = Phases.parse(load.phase() + '@' + threads);
    }

    /**
     * Makes the device's files and the store, and loads it.
     *
     * @param threads of the engine's load, and of bare reads
     * @param device what the bare side does, for how long a turn
     */
    public static DeviceShare open(
            EngineLoad load,
            int threads,
            WorkloadOptions options,
            FileioOptions device,
            StorageDirectory bareDirectory,
            Path storeDirectory)
            throws IOException, InterruptedException, ExecutionException {
        BareDevice bare = BareDevice.create(load, threads, device, bareDirectory);
        WorkloadStore store = WorkloadStore.open(storeDirectory, options);
        DeviceShare share = new DeviceShare(load, threads, options, device, store, bare);
        new PhaseRunner(store, options).run(Phases.parse(Phases.LOAD_SEQUENTIAL));
        store.engine().checkpoint();
        return share;
    }

    /** A turn of the device alone. */
    public double bareTurn() throws IOException, InterruptedException, ExecutionException {
        return bare.turn(appendBytes);
    }

    /** A turn of the engine: what it has asked of the device, in a second. */
    public double engineTurn() throws InterruptedException, ExecutionException {
        String before = store.engine().status();
        Measurement turn = new PhaseRunner(store, options).run(phase);
        String after = store.engine().status();
        EngineCounts counts = EngineCounts.parse(after).minus(EngineCounts.parse(before));
        if (counts.commits() > 0) {
            long bytes = counts.redoBytes() / counts.commits();
            appendBytes = (int) Math.max(1, Math.min(SyncedLog.APPEND_BYTES_MAX, bytes));
        }
        unitsPerSecond = turn.unitsPerSecond();
        commitsPerSync = counts.commitsPerSync();
        store.engine().checkpoint();
        long units =
                EngineCounts.counter(after, load.counter())
                        - EngineCounts.counter(before, load.counter());
        return units * (double) TimeUnit.SECONDS.toNanos(1) / turn.nanos();
    }

    /** The load's own rate in the last turn, rows or transactions a second. */
    public double unitsPerSecond() {
        return unitsPerSecond;
    }

    /** Of the last turn. */
    public double commitsPerSync() {
        return commitsPerSync;
    }

    /** Bytes of redo that the engine made for a commit, and the bare log appends. */
    public int appendBytes() {
        return appendBytes;
    }

    /** Of the device's side. */
    public FileioOptions device() {
        return device;
    }

    @Override
    public void close() throws IOException {
        try {
            store.close();
        } finally {
            bare.close();
        }
    }

    /** The device's side of a load, with its files. */
    private interface BareDevice extends AutoCloseable {
        double turn(int appendBytes) throws IOException, InterruptedException, ExecutionException;

        @Override
        void close() throws IOException;

        static BareDevice create(
                EngineLoad load, int threads, FileioOptions device, StorageDirectory directory)
                throws IOException {
            return switch (load) {
                case DURABLE -> new BareLog(threads, device, directory.create("log"));
                case READS -> new BareReads(threads, device, directory);
                case FLUSH -> new BareFlush(device, directory);
            };
        }
    }

    /** Threads that append and wait until one of them has synced. */
    private static final class BareLog implements BareDevice {
        private final int threads;
        private final StorageFile file;
        private final SyncedLog log;
        private final long turnNanos;

        BareLog(int threads, FileioOptions device, StorageFile file) throws IOException {
            this.threads = threads;
            this.file = file;
            turnNanos = device.measureNanos();
            log = SyncedLog.over(file, device.logBytes(), true, device.mode(), device.seed());
        }

        @Override
        public double turn(int appendBytes) throws InterruptedException, ExecutionException {
            long end = System.nanoTime() + turnNanos;
            List<Callable<Double>> loops =
                    Collections.nCopies(threads, () -> appends(appendBytes, end));
            double rate = 0;
            for (double each : Team.run(loops)) {
                rate += each;
            }
            return rate;
        }

        private double appends(int appendBytes, long end) throws IOException {
            long from = System.nanoTime();
            long now;
            long appends = 0;
            do {
                log.appendInGroup(appendBytes);
                appends++;
                now = System.nanoTime();
            } while (now < end);
            return appends * (double) TimeUnit.SECONDS.toNanos(1) / (now - from);
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** Threads that read random pages. */
    private static final class BareReads implements BareDevice {
        private final StorageFile file;
        private final BareLoopTurn loops;

        BareReads(int threads, FileioOptions device, StorageDirectory directory)
                throws IOException {
            file = PageTraffic.createFile(directory, device);
            loops =
                    new BareLoopTurn(
                            new PageTraffic(
                                    file,
                                    device.pageBytes(),
                                    device.pages(),
                                    false,
                                    threads,
                                    device.measureNanos(),
                                    device.seed()));
        }

        @Override
        public double turn(int appendBytes)
                throws IOException, InterruptedException, ExecutionException {
            return loops.unitsPerSecond();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    /** The pattern without users. */
    private static final class BareFlush implements BareDevice {
        private final StoragePattern pattern;
        private final FileioOptions flushOnly;

        BareFlush(FileioOptions device, StorageDirectory directory) throws IOException {
            flushOnly = device.flushOnly();
            pattern = StoragePattern.create(directory, device);
        }

        @Override
        public double turn(int appendBytes) throws InterruptedException, ExecutionException {
            return pattern.run(flushOnly).of(Stream.PAGE_WRITE).operationsPerSecond();
        }

        @Override
        public void close() throws IOException {
            pattern.close();
        }
    }
}
