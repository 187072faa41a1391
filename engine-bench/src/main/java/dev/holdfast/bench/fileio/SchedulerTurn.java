// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.async.IoClass;
import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.async.IoSchedulerOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Random pages through a scheduler with as many threads as the depth. */
public final class SchedulerTurn implements PairedTurns.Turn, AutoCloseable {
    /*
     * Twice as many requests as threads are under way, each submitted again by its completion, so
     * a thread that ends one finds the next in the queue. Each request has pages of its own, since
     * two that are under way may not overlap.
     */
    static final int REQUESTS_PER_THREAD = 2;

    private final PageTraffic traffic;
    private final IoScheduler scheduler;
    private final List<Slot> slots = new ArrayList<>();
    private double bytesPerRequest;

    public SchedulerTurn(PageTraffic traffic) {
        this.traffic = traffic;
        int requests = REQUESTS_PER_THREAD * traffic.depth();
        scheduler =
                IoScheduler.start(
                        new IoSchedulerOptions(
                                traffic.depth(),
                                traffic.depth(),
                                requests,
                                IoSchedulerOptions.MERGE_BYTES_DEFAULT),
                        new QueueSite(),
                        (nanos) -> {});
        for (int i = 0; i < requests; i++) {
            slots.add(new Slot(i, requests));
        }
    }

    @Override
    public double unitsPerSecond() throws IOException, InterruptedException, ExecutionException {
        Run run = new Run(slots.size(), System.nanoTime() + traffic.turnNanos());
        AllocatedBytes allocatedBefore = AllocatedBytes.now();
        long from = System.nanoTime();
        for (Slot slot : slots) {
            slot.begin(run);
        }
        run.pending.await();
        long nanos = System.nanoTime() - from;
        long allocated = AllocatedBytes.now().since(allocatedBefore);
        if (run.failure.get() != null) {
            throw new ExecutionException(run.failure.get());
        }
        long requests = 0;
        for (Slot slot : slots) {
            requests += slot.done;
        }
        traffic.settle();
        bytesPerRequest = (double) allocated / requests;
        return requests * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }

    /** What all threads of the process allocated on the heap in the last turn. */
    public double bytesPerRequest() {
        return bytesPerRequest;
    }

    @Override
    public void close() throws IOException {
        scheduler.close();
    }

    /** One turn on its way. */
    private static final class Run {
        private final CountDownLatch pending;
        private final long endNanos;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();

        Run(int requests, long endNanos) {
            pending = new CountDownLatch(requests);
            this.endNanos = endNanos;
        }
    }

    /** A request that is submitted again and again. */
    private final class Slot {
        private final int index;
        private final int step;
        private final SplittableRandom random;
        private final ByteBuffer page;
        private final IoRequest request = new IoRequest(this::completed);

        /** Written before a submission, read by the completion; the queue orders them. */
        private Run run;

        private long done;

        Slot(int index, int step) {
            this.index = index;
            this.step = step;
            random = new SplittableRandom(traffic.seed() * 31 + index);
            page = Buffers.random(traffic.pageBytes(), random.nextLong());
        }

        void begin(Run next) throws IOException {
            run = next;
            done = 0;
            scheduler.submit(IoClass.CLEANER, prepared());
        }

        private IoRequest prepared() {
            long number = random.nextLong(traffic.pages() / step) * step + index;
            long at = number * traffic.pageBytes();
            page.clear();
            return traffic.isWrite()
                    ? request.write(traffic.file(), at, page)
                    : request.read(traffic.file(), at, page);
        }

        private void completed(IoRequest ended, Throwable failure) {
            done++;
            if (failure != null) {
                run.failure.compareAndSet(null, failure);
            } else if (System.nanoTime() < run.endNanos && isAccepted()) {
                return;
            }
            run.pending.countDown();
        }

        private boolean isAccepted() {
            try {
                return scheduler.trySubmit(IoClass.CLEANER, prepared());
            } catch (IOException e) {
                run.failure.compareAndSet(null, e);
                return false;
            }
        }
    }
}
