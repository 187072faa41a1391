// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.async.IoClass;
import dev.holdfast.io.async.IoGroup;
import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoSchedulerOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Batches of page writes, some of them neighbours, submitted in any order, as a cleaner would. */
public final class NeighbourTurn implements PairedTurns.Turn, AutoCloseable {
    private static final int BATCH_PAGES = 128;

    private final PageTraffic traffic;
    private final int runPages;
    private final IoScheduler scheduler;
    private final IoGroup group;
    private final SplittableRandom random;
    private final List<IoRequest> requests = new ArrayList<>();
    private final List<ByteBuffer> pages = new ArrayList<>();

    /**
     * Starts a scheduler of as many threads as the depth.
     *
     * @param runPages how many pages of a batch are neighbours; divides 128
     * @param mergeBytesMax as {@link IoSchedulerOptions} has it
     */
    public NeighbourTurn(PageTraffic traffic, int runPages, int mergeBytesMax) {
        check(traffic.pages(), runPages);
        this.traffic = traffic;
        this.runPages = runPages;
        random = new SplittableRandom(traffic.seed());
        scheduler =
                IoScheduler.start(
                        new IoSchedulerOptions(
                                traffic.depth(), traffic.depth(), BATCH_PAGES, mergeBytesMax),
                        new QueueSite(),
                        (nanos) -> {});
        group = new IoGroup(scheduler, IoClass.CLEANER);
        for (int i = 0; i < BATCH_PAGES; i++) {
            requests.add(group.newRequest());
            pages.add(Buffers.random(traffic.pageBytes(), i));
        }
    }

    /** Refuses batches that cannot be made of such neighbours, or not in such a file. */
    public static void check(long pages, int runPages) {
        if (runPages < 1 || BATCH_PAGES % runPages != 0 || pages < 4L * BATCH_PAGES) {
            throw new IllegalArgumentException(
                    "no such batch: runPages=" + runPages + ", pages=" + pages);
        }
    }

    @Override
    public double unitsPerSecond() throws IOException, ExecutionException {
        long from = System.nanoTime();
        long now;
        long done = 0;
        do {
            batch();
            done += BATCH_PAGES;
            now = System.nanoTime();
        } while (now < from + traffic.turnNanos());
        traffic.settle();
        return done * (double) TimeUnit.SECONDS.toNanos(1) / (now - from);
    }

    /** Requests to a transfer, in all turns until now. */
    public double requestsPerTransfer() {
        return (double) scheduler.accepted(IoClass.CLEANER) / scheduler.transfers();
    }

    private void batch() throws IOException, ExecutionException {
        long[] numbers = numbers();
        for (int i = 0; i < BATCH_PAGES; i++) {
            ByteBuffer page = pages.get(i);
            page.clear();
            IoRequest request = requests.get(i);
            group.submit(request.write(traffic.file(), numbers[i] * traffic.pageBytes(), page));
        }
        group.await();
        for (IoRequest request : requests) {
            if (request.failure() != null) {
                throw new ExecutionException(request.failure());
            }
        }
    }

    /** Runs of neighbours in distinct parts of the file, their pages shuffled. */
    private long[] numbers() {
        long part = traffic.pages() / (BATCH_PAGES / runPages);
        long[] numbers = new long[BATCH_PAGES];
        for (int i = 0; i < BATCH_PAGES; i += runPages) {
            long first = i / runPages * part + random.nextLong(part - runPages + 1);
            for (int j = 0; j < runPages; j++) {
                numbers[i + j] = first + j;
            }
        }
        for (int i = BATCH_PAGES - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            long other = numbers[j];
            numbers[j] = numbers[i];
            numbers[i] = other;
        }
        return numbers;
    }

    @Override
    public void close() throws IOException {
        scheduler.close();
    }
}
