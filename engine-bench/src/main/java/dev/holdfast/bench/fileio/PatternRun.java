// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.bench.fileio.StoragePattern.PatternFiles;
import dev.holdfast.bench.fileio.StoragePattern.PatternTally;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
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
    private final CyclicBarrier start;

    /** Written by the last thread at the barrier, read after it, as is the end. */
    private long fromNanos;

    private long endNanos;
    private volatile boolean isFlusherDone;

    PatternRun(FileioOptions options, PatternFiles files) {
        this.options = options;
        this.files = files;
        choice = options.choice().over(options.pages());
        dirty = new ArrayBlockingQueue<>(DIRTY_BATCHES_MAX * options.batchPages());
        toWrite = new ArrayBlockingQueue<>(options.batchPages());
        int flushers = options.writers() == 0 ? 0 : 1;
        start = new CyclicBarrier(options.users() + flushers + options.writers(), this::begin);
    }

    /** All threads are there: on a busy machine that may take longer than the measuring. */
    private void begin() {
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

    PatternTally user(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer target = Buffers.random(options.pageBytes(), seed);
        start.await();
        PatternTally tally = tally();
        do {
            long page = choice.next(random, dirtied.get());
            long begun = System.nanoTime();
            files.data().read(page * options.pageBytes(), target.clear());
            begun = tally.took(Stream.PAGE_READ, begun, options.pageBytes());
            if (random.nextDouble() < options.dirtyShare()) {
                files.log().append();
                begun = tally.took(Stream.LOG_APPEND, begun, files.log().appendBytes());
                if (files.secondLog() != null) {
                    files.secondLog().append();
                    int bytes = files.secondLog().appendBytes();
                    tally.took(Stream.SECOND_LOG_APPEND, begun, bytes);
                }
                dirtied.incrementAndGet();
                handOver(page);
            }
        } while (System.nanoTime() < endNanos);
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

    PatternTally flusher() throws Exception {
        try {
            SplittableRandom random = new SplittableRandom(options.seed());
            int batchBytes = options.batchPages() * options.pageBytes();
            ByteBuffer copies = Buffers.random(batchBytes, options.seed());
            start.await();
            PatternTally tally = tally();
            do {
                Set<Long> batch = options.users() == 0 ? draw(random) : gather();
                if (!batch.isEmpty()) {
                    flush(batch, copies, tally);
                }
            } while (System.nanoTime() < endNanos);
            return tally;
        } finally {
            isFlusherDone = true;
        }
    }

    /** A batch of pages in the order of the file. */
    private Set<Long> draw(SplittableRandom random) {
        Set<Long> batch = new TreeSet<>();
        while (batch.size() < batchPages()) {
            batch.add(choice.next(random, dirtied.getAndIncrement()));
        }
        return batch;
    }

    /** The same of what users dirtied; less than a batch if the time is up. */
    private Set<Long> gather() throws InterruptedException {
        Set<Long> batch = new TreeSet<>();
        while (batch.size() < batchPages() && System.nanoTime() < endNanos) {
            Long page = dirty.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
            if (page != null) {
                batch.add(page);
            }
        }
        return batch;
    }

    private long batchPages() {
        return Math.min(options.batchPages(), options.pages());
    }

    private void flush(Set<Long> batch, ByteBuffer copies, PatternTally tally)
            throws IOException, InterruptedException {
        long bytes = (long) batch.size() * options.pageBytes();
        long begun = System.nanoTime();
        files.doublewrite().write(0, copies.clear().limit((int) bytes));
        files.doublewrite().sync(true);
        tally.took(Stream.DOUBLEWRITE, begun, bytes);
        CountDownLatch written = new CountDownLatch(batch.size());
        for (long page : batch) {
            toWrite.put(new PageToWrite(page, written));
        }
        written.await();
        begun = System.nanoTime();
        files.data().sync(true);
        tally.took(Stream.DATA_SYNC, begun, 0);
    }

    PatternTally writer(long seed) throws Exception {
        ByteBuffer source = Buffers.random(options.pageBytes(), seed);
        start.await();
        PatternTally tally = tally();
        while (!isFlusherDone) {
            PageToWrite next = toWrite.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
            if (next != null) {
                long begun = System.nanoTime();
                files.data().write(next.page() * options.pageBytes(), source.clear());
                tally.took(Stream.PAGE_WRITE, begun, options.pageBytes());
                next.written().countDown();
            }
        }
        return tally;
    }

    /** A page of the batch under way. */
    private record PageToWrite(long page, CountDownLatch written) {}
}
