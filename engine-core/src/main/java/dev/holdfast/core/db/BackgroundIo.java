// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.EngineOptions;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.io.async.DeviceProbe;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoSchedulerOptions;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that do background transfers for an engine, and the budget that they go by. */
final class BackgroundIo {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundIo.class);

    /** Of a device that nobody has measured: what a single disk with a cache is good for. */
    private static final int UNKNOWN_PAGES_PER_SECOND = 2_000;

    private static final int MEMORY_PAGES_PER_SECOND = 100_000;

    private final IoCapacity capacity;
    private final IoScheduler scheduler;

    /** Where the number comes from. */
    private final String origin;

    private BackgroundIo(int pagesPerSecond, String origin, EngineOptions options) {
        this.origin = origin;
        this.capacity = new IoCapacity(pagesPerSecond, System::nanoTime);
        this.scheduler =
                IoScheduler.start(
                        IoSchedulerOptions.forCapacity(pagesPerSecond)
                                .threads(options.ioReadThreads(), options.ioWriteThreads()),
                        IoSites.IO_QUEUE,
                        capacity::observed);
    }

    static BackgroundIo start(OpenedStore store, EngineOptions options) {
        if (options.ioCapacity() != EngineOptions.IO_CAPACITY_AUTO) {
            return new BackgroundIo(options.ioCapacity(), "given", options);
        }
        if (store.identity().ioCapacity() > 0) {
            return new BackgroundIo(store.identity().ioCapacity(), "measured", options);
        }
        if (store.directory() instanceof MemoryDirectory) {
            return new BackgroundIo(MEMORY_PAGES_PER_SECOND, "memory", options);
        }
        return new BackgroundIo(UNKNOWN_PAGES_PER_SECOND, "assumed", options);
    }

    /**
     * Measures the device under a store that is not yet born, if it is to be measured, and notes
     * the result in its identity.
     *
     * @return the identity; the same if nothing was measured
     */
    static StoreIdentity measured(
            StorageDirectory directory, StoreIdentity identity, EngineOptions options)
            throws IOException {
        boolean wanted =
                options.ioCapacity() == EngineOptions.IO_CAPACITY_AUTO
                        && directory instanceof FileSystemDirectory;
        if (!wanted) {
            return identity;
        }
        int pagesPerSecond;
        try {
            pagesPerSecond =
                    DeviceProbe.pagesPerSecond(directory, StoreFiles.PROBE, identity.pageBytes());
        } catch (IOException failure) {
            // What the store itself needs of the device, its creation will ask for.
            LOG.warn("device is not measured: store={}", directory.describe(), failure);
            return identity;
        }
        StoreIdentity measured = identity.withIoCapacity(pagesPerSecond);
        measured.rewriteUnborn(directory);
        return measured;
    }

    IoCapacity capacity() {
        return capacity;
    }

    IoScheduler scheduler() {
        return scheduler;
    }

    /**
     * Ends when all transfers have ended.
     *
     * @return a name for what did not end in time, for a close that waits for it
     */
    List<String> stop(long timeoutNanos) {
        try {
            scheduler.close(timeoutNanos);
            return List.of();
        } catch (IOException late) {
            LOG.error("background IO did not end", late);
            return List.of("io");
        }
    }

    void describe(StringBuilder text) {
        text.append(capacity.toRow()).append(", origin=").append(origin).append('\n');
        text.append(scheduler.report()).append('\n');
    }
}
