// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.io.sim.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Threads that each repeat something until the time is up or one of them fails. */
final class StressThreads {
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failed = new AtomicReference<>();
    private final long deadline;
    private final SeededRandom random;

    StressThreads(SeededRandom random, Duration time) {
        this.random = random;
        this.deadline = System.nanoTime() + time.toNanos();
    }

    /** Starts a thread that repeats the work. */
    Thread start(String name, Consumer<SeededRandom> work) {
        SeededRandom own = random.derive(name).derive(threads.size());
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                while (isRunning()) {
                                    work.accept(own);
                                }
                            } catch (Throwable failure) {
                                failed.compareAndSet(null, failure);
                            }
                        },
                        "stress-" + name + '-' + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    boolean isRunning() {
        return failed.get() == null && System.nanoTime() - deadline < 0;
    }

    /** Waits for their end, and fails if one of them has failed or hangs. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            long left = deadline - System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            if (thread.isAlive() && failed.get() == null) {
                AssertionError hung = new AssertionError("a thread hangs: " + thread.getName());
                hung.setStackTrace(thread.getStackTrace());
                throw hung;
            }
        }
        if (failed.get() != null) {
            throw new AssertionError("a thread failed: " + failed.get(), failed.get());
        }
    }
}
