// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.Limits;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;

/**
 * The doublewrite area of a store: a few slots, each a file of the copies of one batch of pages, or
 * of entries for them; see {@link DoublewriteMode}.
 *
 * <p>With two slots one batch is filled while the other is being written. Memory: one batch a slot.
 * Safe for use by many threads; a batch belongs to one.
 */
public final class Doublewrite implements AutoCloseable {
    /** Slots in one area at most. */
    public static final int SLOTS_MAX = Limits.DOUBLEWRITE_SLOTS_MAX;

    static final String DIRECTORY = "doublewrite";
    static final String SUFFIX = ".hfd";

    private final UUID storeId;
    private final Counters counters;
    private final List<DoublewriteBatch> slots = new ArrayList<>();
    private final BlockingQueue<DoublewriteBatch> free;
    private final AtomicLong batchNumber = new AtomicLong();

    private Doublewrite(int slotCount, UUID storeId, Counters counters) {
        this.storeId = storeId;
        this.counters = counters;
        this.free = new ArrayBlockingQueue<>(slotCount);
    }

    /** Makes the directory and the files, full of zeros and synced; without any if it is off. */
    public static void create(StorageDirectory directory, DoublewriteOptions options)
            throws IOException {
        directory.createDirectory(DIRECTORY);
        for (int slot = 0; options.writes() && slot < options.slots(); slot++) {
            try (StorageFile file = directory.create(fileName(slot))) {
                file.zeroFill(0, options.fileBytes());
                file.sync(false);
            }
        }
        directory.syncDirectory(DIRECTORY);
    }

    /**
     * Opens the area; what it held must have been used or found useless before. Files of slots that
     * are no longer used are removed: nothing would ever write over what they say. If it is off all
     * files stay as they are.
     */
    public static Doublewrite open(
            StorageDirectory directory, DoublewriteOptions options, UUID storeId, Counters counters)
            throws IOException {
        Doublewrite doublewrite = new Doublewrite(options.slots(), storeId, counters);
        try {
            if (options.writes()) {
                directory.createDirectory(DIRECTORY);
                removeUnused(directory, options.slots());
            }
            for (int slot = 0; slot < options.slots(); slot++) {
                // The memory first: if there is none, no file is open that no slot has.
                ByteBuffer buffer = DoublewriteBatch.newBuffer(options);
                StorageFile file = options.writes() ? openOrCreate(directory, slot, options) : null;
                doublewrite.slots.add(
                        new DoublewriteBatch(doublewrite, slot, file, buffer, options));
            }
        } catch (IOException | RuntimeException | Error e) {
            doublewrite.closeAfter(e);
            throw e;
        }
        doublewrite.free.addAll(doublewrite.slots);
        return doublewrite;
    }

    private static void removeUnused(StorageDirectory directory, int slots) throws IOException {
        boolean removed = false;
        for (int slot = slots; slot < SLOTS_MAX; slot++) {
            if (directory.exists(fileName(slot))) {
                directory.delete(fileName(slot));
                removed = true;
            }
        }
        if (removed) {
            directory.syncDirectory(DIRECTORY);
        }
    }

    private static StorageFile openOrCreate(
            StorageDirectory directory, int slot, DoublewriteOptions options) throws IOException {
        long bytes = options.fileBytes();
        String name = fileName(slot);
        boolean missing = !directory.exists(name);
        StorageFile file = missing ? directory.create(name) : directory.open(name);
        try {
            long whole = file.length() / DoublewriteLayout.ALIGNMENT * DoublewriteLayout.ALIGNMENT;
            if (whole < bytes) {
                file.zeroFill(whole, bytes);
                file.sync(false);
            }
            if (missing) {
                directory.syncDirectory(DIRECTORY);
                // The directory may be new too, if somebody removed it with all that was in it.
                directory.syncDirectory("");
            }
        } catch (IOException | RuntimeException | Error e) {
            try {
                file.close();
            } catch (IOException closeFailure) {
                e.addSuppressed(closeFailure);
            }
            throw e;
        }
        return file;
    }

    static String fileName(int slot) {
        return DIRECTORY + "/" + slot + SUFFIX;
    }

    /**
     * Takes a free slot, waiting for one if all are under way. An interrupt does not end the wait;
     * the flag is kept.
     */
    public DoublewriteBatch acquire() {
        DoublewriteBatch batch = free.poll();
        if (batch != null) {
            return batch;
        }
        counters.increment(Counter.DOUBLEWRITE_WAITS);
        CurrentWait wait = CurrentWait.begin(CoreSites.DOUBLEWRITE_SLOT, 0);
        boolean interrupted = false;
        while (batch == null) {
            try {
                batch = free.take();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        wait.end();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return batch;
    }

    /** How many pages a batch holds at most. */
    public int pagesMax() {
        return slots.get(0).pagesMax();
    }

    /** Shows the files with the numbers of their slots; none if doublewrite is off. */
    public void eachFile(ObjIntConsumer<StorageFile> consumer) {
        slots.forEach(slot -> slot.showFile(consumer));
    }

    void released(DoublewriteBatch batch) {
        boolean added = free.offer(batch);
        assert added : "a batch was released twice";
    }

    void written(int pages) {
        counters.increment(Counter.DOUBLEWRITE_BATCHES);
        counters.add(Counter.DOUBLEWRITE_PAGES, pages);
    }

    UUID storeId() {
        return storeId;
    }

    long nextBatchNumber() {
        return batchNumber.incrementAndGet();
    }

    /** Closes the files. No batch may be under way. */
    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (DoublewriteBatch slot : slots) {
            try {
                slot.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void closeAfter(Throwable cause) {
        try {
            close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Whether the planted fault that leaves out the doublewrite is on. */
    static boolean leftOut() {
        return TestHooks.fault(PlantedFault.NO_DOUBLEWRITE);
    }
}
