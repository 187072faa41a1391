// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Finds, in about a tenth of a second, how many pages a second background work may write. */
public final class DeviceProbe {
    /*
     * The device is asked for what the page cleaner will ask it for: rounds of scattered pages, some
     * at a time, each round ended by a sync; so a cache of the operating system's does not count as
     * a device. Half of what was reached is what background work may have: the rest is for the log
     * and for reads that users wait for.
     *
     * The positions go through the file in steps of a prime, so that no two of a round are
     * neighbours: no two are merged. One round is made in any case; on a disk that turns it takes
     * longer than all else here.
     */
    static final int FILE_PAGES = 256;
    static final int ROUND_PAGES = 16;
    static final long NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(100);
    static final int LEAST = 200;
    static final int MOST = 100_000;

    private static final int STEP = 97;
    private static final int DEPTH = 4;
    private static final double SHARE = 0.5;

    private DeviceProbe() {}

    /**
     * Measures.
     *
     * @param name of a file that is created and deleted again
     * @return pages a second, a share of what was reached, within bounds
     * @throws IOException if the device refuses
     */
    public static int pagesPerSecond(StorageDirectory directory, String name, int pageBytes)
            throws IOException {
        return pagesPerSecond(directory, name, pageBytes, System::nanoTime);
    }

    /** The same by another clock. */
    static int pagesPerSecond(
            StorageDirectory directory, String name, int pageBytes, LongSupplier nanoTime)
            throws IOException {
        IoSchedulerOptions options = new IoSchedulerOptions(1, DEPTH, ROUND_PAGES, 0);
        double reached;
        StorageFile file = directory.create(name);
        try (file;
                IoScheduler scheduler = IoScheduler.start(options, IoSites.IO_QUEUE, nanos -> {})) {
            file.zeroFill(0, (long) FILE_PAGES * pageBytes);
            file.sync(false);
            IoGroup group = new IoGroup(scheduler, IoClass.CLEANER);
            reached = measure(file, group, pageBytes, nanoTime);
        } finally {
            directory.delete(name);
        }
        return (int) Math.max(LEAST, Math.min(MOST, SHARE * reached));
    }

    private static double measure(
            StorageFile file, IoGroup group, int pageBytes, LongSupplier nanoTime)
            throws IOException {
        ByteBuffer page =
                ByteBuffer.allocateDirect(pageBytes + FileMode.DIRECT_ALIGNMENT)
                        .alignedSlice(FileMode.DIRECT_ALIGNMENT)
                        .limit(pageBytes);
        IoRequest[] requests = new IoRequest[ROUND_PAGES];
        for (int i = 0; i < ROUND_PAGES; i++) {
            requests[i] = group.newRequest();
        }
        long start = nanoTime.getAsLong();
        long nanos;
        int pages = 0;
        do {
            for (IoRequest request : requests) {
                long number = (long) pages * STEP % FILE_PAGES;
                group.submit(request.write(file, number * pageBytes, page.duplicate()));
                pages++;
            }
            group.await();
            for (IoRequest request : requests) {
                if (request.failure() != null) {
                    throw new IOException("device cannot be measured", request.failure());
                }
            }
            file.sync(true);
            nanos = nanoTime.getAsLong() - start;
        } while (nanos < NANOS_MAX);
        return pages * (double) TimeUnit.SECONDS.toNanos(1) / Math.max(1, nanos);
    }
}
