// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Threads of one test: started together, joined within a limit, their failures reported. */
final class TestThreads {
    private static final long LIMIT_NANOS =
            TimeUnit.SECONDS.toNanos(Boolean.getBoolean("holdfast.soak") ? 900 : 30);

    private final List<Thread> threads = new ArrayList<>();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** Starts a thread; daemon, so that one that hangs fails the test and not the build. */
    @SuppressWarnings("CatchingUnchecked") // whatever it is, the test must see it
    Thread start(Runnable body) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                body.run();
                            } catch (Throwable failure) {
                                failures.add(failure);
                            }
                        });
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** Waits for the end of all. */
    void join() throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        for (Thread thread : threads) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            thread.join(Math.max(1, millis));
            if (thread.isAlive()) {
                AssertionError hang = new AssertionError("thread hangs: name=" + thread.getName());
                hang.setStackTrace(thread.getStackTrace());
                failures.forEach(hang::addSuppressed);
                throw hang;
            }
        }
        rethrow();
    }

    private void rethrow() {
        if (!failures.isEmpty()) {
            AssertionError failed = new AssertionError("a thread failed", failures.peek());
            failures.stream().skip(1).forEach(failed::addSuppressed);
            throw failed;
        }
    }

    /** Whether no thread has failed and all have ended. */
    boolean allEnded() {
        rethrow();
        return threads.stream().noneMatch(Thread::isAlive);
    }

    /** Returns once the condition holds. */
    @SuppressWarnings("ThreadPriorityCheck") // waiting for a state that has no event
    void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            rethrow();
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("the condition never held");
            }
            Thread.yield();
        }
    }

    /** Returns once the thread is parked, having been so {@code parks} times at this site. */
    void untilParked(Thread thread, ContentionSite site, long parks) {
        until(() -> site.counters().parks() == parks && thread.getState() == Thread.State.WAITING);
    }
}
