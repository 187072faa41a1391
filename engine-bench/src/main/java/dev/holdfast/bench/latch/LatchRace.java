// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** Lets a number of threads run on one latch for a moment, and checks what they saw. */
final class LatchRace {
    private LatchRace() {}

    /** The loop that each thread runs. */
    interface Loop {
        void run(Turn turn, Tally tally);
    }

    /**
     * Runs one turn on new threads and returns the operations in a second of all together.
     *
     * @throws IllegalStateException if a read was torn or a change lost
     */
    static double run(
            String title, Loop loop, GuardedPair pair, long tokens, int threads, long nanos)
            throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            return run(executor, title, loop, pair, tokens, threads, nanos);
        } finally {
            executor.shutdownNow();
        }
    }

    private static double run(
            ExecutorService executor,
            String title,
            Loop loop,
            GuardedPair pair,
            long tokens,
            int threads,
            long nanos)
            throws InterruptedException, ExecutionException {
        Turn turn = new Turn(tokens);
        CountDownLatch begun = new CountDownLatch(1);
        long[] startNanos = new long[1];
        CyclicBarrier start =
                new CyclicBarrier(
                        threads,
                        () -> {
                            startNanos[0] = System.nanoTime();
                            begun.countDown();
                        });
        List<Future<Long>> ends = new ArrayList<>();
        List<Tally> tallies = new ArrayList<>();
        for (int i = 1; i <= threads; i++) {
            Tally tally = new Tally(i * 0x9E3779B9);
            tallies.add(tally);
            ends.add(
                    executor.submit(
                            () -> {
                                start.await();
                                loop.run(turn, tally);
                                return System.nanoTime();
                            }));
        }
        begun.await();
        long over = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0) {
            LockSupport.parkNanos(turn, left);
            if (Thread.interrupted()) {
                turn.end();
                throw new InterruptedException("interrupted in a turn");
            }
            left = over - System.nanoTime();
        }
        turn.end();
        long endNanos = startNanos[0] + 1;
        for (Future<Long> end : ends) {
            endNanos = Math.max(endNanos, end.get());
        }
        return checked(title, pair, tallies) * 1e9 / (endNanos - startNanos[0]);
    }

    /** Returns all operations, having found nothing wrong with them. */
    private static long checked(String title, GuardedPair pair, List<Tally> tallies) {
        long operations = 0;
        long writes = 0;
        long torn = 0;
        for (Tally tally : tallies) {
            operations += tally.operations();
            writes += tally.writes();
            torn += tally.torn();
        }
        long changes = pair.changes();
        if (torn != 0 || changes != writes) {
            throw new IllegalStateException(
                    "latch does not exclude: latch="
                            + title
                            + ", tornReads="
                            + torn
                            + ", writes="
                            + writes
                            + ", changes="
                            + changes);
        }
        return operations;
    }
}
