// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.CurrentWait;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs blocking file work of virtual threads on a few platform threads, while the caller parks.
 *
 * <p>A call is uninterruptible: an interrupt that comes meanwhile is kept for the caller. Safe for
 * all threads. Each call costs two hand-overs between threads, so platform threads should do their
 * work themselves.
 */
final class BlockingExecutor implements AutoCloseable {
    /*
     * A file call blocks in the kernel and pins the carrier of a virtual thread: with as many
     * readers as carriers nothing else would run. So the call is made by one of our threads and the
     * virtual thread parks, which frees its carrier.
     *
     * The threads are started by the first calls, end after IDLE_SECONDS without work, and are
     * daemons: an application without virtual threads has none of them, and a forgotten engine
     * does not keep its JVM alive. Each caller has at most one call in the queue; still the queue
     * is bounded, by places, so that a burst of a million callers does not put a million nodes
     * into it: who finds no place parks until there is one, counted as IO_HAND_OVER.
     *
     * The state of one call: the IO thread writes failure, then isDone (volatile), then unparks;
     * the caller reads isDone, then failure. Park may return without reason, so it is in a loop; a
     * pending interrupt makes park return at once, so the flag is taken down and put back.
     */

    /** Sixteen blocking readers come within a few percent of what a fast device gives at all. */
    public static final int THREADS_DEFAULT = 16;

    /** The limit of calls that wait for a thread; further callers wait for a place. */
    public static final int WAITING_MAX = 4096;

    private static final long IDLE_SECONDS = 10;
    private static final long CLOSE_SECONDS_MAX = 10;
    private static final AtomicInteger THREAD_NUMBER = new AtomicInteger();

    private final ThreadPoolExecutor threads;
    private final Semaphore places;

    /** Makes an executor that starts no thread yet. */
    public BlockingExecutor(int threadsMax) {
        this(threadsMax, WAITING_MAX);
    }

    BlockingExecutor(int threadsMax, int waitingMax) {
        threads =
                new ThreadPoolExecutor(
                        threadsMax,
                        threadsMax,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        BlockingExecutor::newThread);
        threads.allowCoreThreadTimeOut(true);
        places = new Semaphore(threadsMax + waitingMax);
    }

    /**
     * Runs the work on one of the threads and waits for its end.
     *
     * @throws IOException the work's own, or if this executor is closed; unchecked exceptions and
     *     errors of the work come through as well
     */
    public void call(IoWork work) throws IOException {
        if (!places.tryAcquire()) {
            CurrentWait wait = CurrentWait.begin(IoSites.IO_HAND_OVER, 0);
            IoSites.IO_HAND_OVER.counters().countPark();
            places.acquireUninterruptibly();
            wait.end();
        }
        try {
            HandedOver call = new HandedOver(work);
            try {
                threads.execute(call);
            } catch (RejectedExecutionException e) {
                throw new IOException("IO threads are closed", e);
            }
            call.await();
            call.throwFailure();
        } finally {
            places.release();
        }
    }

    /** How many threads are alive now. */
    public int threadCount() {
        return threads.getPoolSize();
    }

    /**
     * Lets calls that were accepted finish and ends the threads; a second call does nothing.
     *
     * @throws IOException if a call does not come back from the system in time; its thread then
     *     ends by itself when it does
     */
    @Override
    public void close() throws IOException {
        threads.shutdown();
        if (!awaitTermination()) {
            throw new IOException(
                    "IO threads do not end: busy="
                            + threads.getActiveCount()
                            + ", waitedSeconds="
                            + CLOSE_SECONDS_MAX);
        }
    }

    private boolean awaitTermination() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS_MAX);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return threads.awaitTermination(
                            deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException flagIsPutBackBelow) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Thread newThread(Runnable work) {
        String name = "holdfast-io-" + THREAD_NUMBER.incrementAndGet();
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        // Else the thread would keep alive whatever the first caller's context had loaded.
        thread.setContextClassLoader(BlockingExecutor.class.getClassLoader());
        return thread;
    }

    /** Work that blocks in the system. */
    @FunctionalInterface
    public interface IoWork {
        /** Does the work. */
        void run() throws IOException;
    }

    /** One call on its way. */
    private static final class HandedOver implements Runnable {
        private final IoWork work;
        private final Thread caller = Thread.currentThread();
        private Throwable failure;
        private volatile boolean isDone;

        HandedOver(IoWork work) {
            this.work = work;
        }

        @Override
        public void run() {
            try {
                work.run();
            } catch (Throwable e) {
                failure = e;
            } finally {
                isDone = true;
                LockSupport.unpark(caller);
            }
        }

        void await() {
            boolean interrupted = false;
            while (!isDone) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                caller.interrupt();
            }
        }

        void throwFailure() throws IOException {
            Throwable thrown = failure;
            if (thrown instanceof IOException checked) {
                throw checked;
            }
            if (thrown instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            assert thrown == null : "work throws nothing else: " + thrown;
        }
    }
}
