// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.bench.fileio.StoragePattern.PatternFiles;
import dev.holdfast.bench.fileio.StoragePattern.PatternTally;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** One run of the pattern: what its users, its flusher and its writers do until the time is up. */
final class PatternRun {
    private static final long POLL_MILLIS = 20;
    private static final int DIRTY_BATCHES_MAX = 2;

    private final FileioOptions options;
    private final PatternFiles files;
    private final PageChoice.Source choice;

    /** Pages that users dirtied, for the flusher; bounded, so that it is the users who wait. */
    private final BlockingQueue<Long> dirty;

    /** Pages of the batch under way, for the writers. */
    private final BlockingQueue<PageToWrite> toWrite;

    private final AtomicLong dirtied = new AtomicLong();
    private final LongAdder stalls = new LongAdder();
    private final long fromNanos;
    private final long endNanos;
    private volatile boolean isFlusherDone;

    PatternRun(FileioOptions options, PatternFiles files) {
        this.options = options;
        this.files = files;
        choice = options.choice().over(options.pages());
        dirty = new ArrayBlockingQueue<>(DIRTY_BATCHES_MAX * options.batchPages());
        toWrite = new ArrayBlockingQueue<>(options.batchPages());
        fromNanos = System.nanoTime() + options.warmupNanos();
        endNanos = fromNanos + options.measureNanos();
    }

    PatternTally tally() {
        return new PatternTally(fromNanos);
    }

    long stalls() {
        return stalls.sum();
    }

    /** From the end of the warm-up until now, when all threads are done. */
    long measuredNanos() {
        return System.nanoTime() - fromNanos;
    }

    PatternTally user(long seed) throws IOException, InterruptedException {
        PatternTally tally = tally();
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer target = Buffers.random(options.pageBytes(), seed);
        while (System.nanoTime() < endNanos) {
            long page = choice.next(random, dirtied.get());
            long start = System.nanoTime();
            files.data().read(page * options.pageBytes(), target.clear());
            start = tally.took(Stream.PAGE_READ, start, options.pageBytes());
            if (random.nextDouble() < options.dirtyShare()) {
                files.log().append();
                start = tally.took(Stream.LOG_APPEND, start, files.log().appendBytes());
                if (files.secondLog() != null) {
                    files.secondLog().append();
                    int bytes = files.secondLog().appendBytes();
                    tally.took(Stream.SECOND_LOG_APPEND, start, bytes);
                }
                dirtied.incrementAndGet();
                handOver(page);
            }
        }
        return tally;
    }

    private void handOver(long page) throws InterruptedException {
        if (options.writers() == 0 || dirty.offer(page)) {
            return;
        }
        stalls.increment();
        boolean isTaken = false;
        while (!isTaken && System.nanoTime() < endNanos) {
            isTaken = dirty.offer(page, POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    PatternTally flusher() throws IOException, InterruptedException {
        try {
            PatternTally tally = tally();
            SplittableRandom random = new SplittableRandom(options.seed());
            int batchBytes = options.batchPages() * options.pageBytes();
            ByteBuffer copies = Buffers.random(batchBytes, options.seed());
            while (System.nanoTime() < endNanos) {
                TreeSet<Long> batch = gather(random);
                if (!batch.isEmpty()) {
                    flush(batch, copies, tally);
                }
            }
            return tally;
        } finally {
            isFlusherDone = true;
        }
    }

    /** A batch of pages in the order of the file; less than one if the time is up. */
    private TreeSet<Long> gather(SplittableRandom random) throws InterruptedException {
        TreeSet<Long> batch = new TreeSet<>();
        long limit = Math.min(options.batchPages(), options.pages());
        while (batch.size() < limit && System.nanoTime() < endNanos) {
            Long page =
                    options.users() == 0
                            ? Long.valueOf(choice.next(random, dirtied.getAndIncrement()))
                            : dirty.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
            if (page != null) {
                batch.add(page);
            }
        }
        return batch;
    }

    private void flush(TreeSet<Long> batch, ByteBuffer copies, PatternTally tally)
            throws IOException, InterruptedException {
        long bytes = (long) batch.size() * options.pageBytes();
        long start = System.nanoTime();
        files.doublewrite().write(0, copies.clear().limit((int) bytes));
        files.doublewrite().sync(true);
        tally.took(Stream.DOUBLEWRITE, start, bytes);
        CountDownLatch written = new CountDownLatch(batch.size());
        for (long page : batch) {
            toWrite.put(new PageToWrite(page, written));
        }
        written.await();
        start = System.nanoTime();
        files.data().sync(true);
        tally.took(Stream.DATA_SYNC, start, 0);
    }

    PatternTally writer(long seed) throws IOException, InterruptedException {
        PatternTally tally = tally();
        ByteBuffer source = Buffers.random(options.pageBytes(), seed);
        while (!isFlusherDone) {
            PageToWrite next = toWrite.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
            if (next != null) {
                long start = System.nanoTime();
                files.data().write(next.page() * options.pageBytes(), source.clear());
                tally.took(Stream.PAGE_WRITE, start, options.pageBytes());
                next.written().countDown();
            }
        }
        return tally;
    }

    /** A page of the batch under way. */
    private record PageToWrite(long page, CountDownLatch written) {}
}
