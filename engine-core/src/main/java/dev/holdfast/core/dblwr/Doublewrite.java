// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;

/**
 * The doublewrite area of a store: a few slots, each a file of up to 128 page copies.
 *
 * <p>With two slots one batch is filled while the other is being written. Memory: one batch a slot.
 * Safe for use by many threads; a batch belongs to one.
 */
public final class Doublewrite implements AutoCloseable {
    /** Slots in one area at most. */
    public static final int SLOTS_MAX = 8;

    static final String DIRECTORY = "doublewrite";
    static final int ALIGNMENT = 4096;

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

    /** Makes the directory and the files, full of zeros and synced. */
    public static void create(StorageDirectory directory, int slots, int pages, int pageBytes)
            throws IOException {
        directory.createDirectory(DIRECTORY);
        for (int slot = 0; slot < slots; slot++) {
            try (StorageFile file = directory.create(fileName(slot))) {
                file.zeroFill(0, DoublewriteLayout.fileBytes(pages, pageBytes));
                file.sync(false);
            }
        }
        directory.syncDirectory(DIRECTORY);
    }

    /**
     * Opens the area; what it held must have been used or found useless before.
     *
     * @param enabled whether batches are written to the files; if not they are only buffers
     */
    public static Doublewrite open(
            StorageDirectory directory,
            int slots,
            int pages,
            int pageBytes,
            UUID storeId,
            boolean enabled,
            Counters counters)
            throws IOException {
        assert slots > 0 && slots <= SLOTS_MAX : "slots=" + slots;
        assert pages > 0 && pages <= DoublewriteLayout.PAGES_MAX : "pages=" + pages;
        Doublewrite doublewrite = new Doublewrite(slots, storeId, counters);
        try {
            for (int slot = 0; slot < slots; slot++) {
                StorageFile file = enabled ? openOrCreate(directory, slot, pages, pageBytes) : null;
                doublewrite.slots.add(
                        new DoublewriteBatch(doublewrite, slot, file, pages, pageBytes));
            }
        } catch (IOException | RuntimeException | Error e) {
            doublewrite.closeAfter(e);
            throw e;
        }
        doublewrite.free.addAll(doublewrite.slots);
        return doublewrite;
    }

    private static StorageFile openOrCreate(
            StorageDirectory directory, int slot, int pages, int pageBytes) throws IOException {
        long bytes = DoublewriteLayout.fileBytes(pages, pageBytes);
        String name = fileName(slot);
        directory.createDirectory(DIRECTORY);
        boolean missing = !directory.exists(name);
        StorageFile file = missing ? directory.create(name) : directory.open(name);
        try {
            if (file.length() < bytes) {
                file.zeroFill(file.length() / ALIGNMENT * ALIGNMENT, bytes);
                file.sync(false);
            }
            if (missing) {
                directory.syncDirectory(DIRECTORY);
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
        return DIRECTORY + String.format(Locale.ROOT, "/%d.hfd", slot);
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
