// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.DiskOptions;
import dev.holdfast.io.sim.Latency;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Where the files of a measurement are. */
public enum StorageDevice {
    /** The file system of the directory. */
    REAL {
        @Override
        public StorageDirectory open(Path directory, FileMode mode, DeviceShape shape, long seed)
                throws IOException {
            return FileSystemDirectory.open(directory, mode);
        }
    },

    /** A disk in memory that takes its time: the same on every machine, as far as clocks go. */
    SIMULATED {
        @Override
        public StorageDirectory open(Path directory, FileMode mode, DeviceShape shape, long seed) {
            SimulatedDisk disk = SimulatedDisk.create(DiskOptions.DEFAULT.withMode(mode));
            disk.stopRecording();
            Latency latency =
                    Latency.of(
                                    TimeUnit.MICROSECONDS.toNanos(shape.readMicros()),
                                    TimeUnit.MICROSECONDS.toNanos(shape.writeMicros()),
                                    TimeUnit.MICROSECONDS.toNanos(shape.syncMicros()),
                                    shape.megabytesPerSecond() * 1_000_000)
                            .withTail(TAIL_SHARE);
            disk.shapeLatency(latency, shape.depth(), new SeededRandom(seed));
            return disk.directory();
        }
    };

    /** The mean of the exponential tail, as a share of each time. */
    private static final double TAIL_SHARE = 0.3;

    /** Opens the directory; a simulated one is new and empty. */
    public abstract StorageDirectory open(
            Path directory, FileMode mode, DeviceShape shape, long seed) throws IOException;
}
