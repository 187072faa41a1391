// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * P14 with threads that change few rows in ascending order, give up, or find that they need not
 * write. Rows are words under a lock that stands for the leaf's latch. If this failed, a wake-up
 * would be lost, or two transactions would have written one row.
 */
@ExtendWith(SeedExtension.class)
final class RowLocksStressTest {
    private static final int THREADS = 4;
    private static final int ROWS = 3;
    private static final int TREE = 9;
    private static final int ROUNDS = SeedExtension.everydayOrSoak(3_000, 200_000);

    /** Threads that happen to run one after another do not meet in a few thousand rounds. */
    private static final int ROUNDS_MAX = 200 * ROUNDS;

    /** Only a lost wake-up waits so long. */
    private static final long LIMIT = Duration.ofSeconds(20).toNanos();

    private final TransactionTable table = new TransactionTable(64);
    private final Counters counters = new Counters();
    private final RowLocks locks = new RowLocks("s", table, new EngineHealth(), counters);
    private final AtomicLong nextId = new AtomicLong(1);
    private final AtomicLongArray writers = new AtomicLongArray(ROWS);
    private final ReentrantLock[] leaves = new ReentrantLock[ROWS];

    @Test
    void givenFewRows_whenManyWriteThem_thenEachHasOneWriterAndNobodyIsForgotten(
            SeededRandom random) throws Exception {
        for (int row = 0; row < ROWS; row++) {
            leaves[row] = new ReentrantLock();
        }
        List<TestThread<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SeededRandom own = random.derive(i);
            threads.add(
                    TestThread.start(
                            () -> {
                                int round = 0;
                                while (round < ROUNDS || (isTooTame() && round < ROUNDS_MAX)) {
                                    transaction(own);
                                    round++;
                                }
                                return round;
                            }));
        }

        for (TestThread<Integer> thread : threads) {
            assertThat(thread.result()).isGreaterThanOrEqualTo(ROUNDS);
        }

        assertThat(locks.entries()).isZero();
        assertThat(counters.sum(Counter.ROW_LOCK_WAITS)).isPositive();
        assertThat(counters.sum(Counter.ROW_LOCK_TIMEOUTS)).isZero();
    }

    private boolean isTooTame() {
        return counters.sum(Counter.ROW_LOCK_WAITS) == 0;
    }

    private void transaction(SeededRandom random) {
        LockOwner owner = new LockOwner(nextId.getAndIncrement());
        while (!table.tryBegin(owner.transactionId(), owner, Long.MAX_VALUE)) {
            owner = new LockOwner(nextId.getAndIncrement());
        }
        RowWaiter waiter = new RowWaiter();
        waiter.owner = owner;
        waiter.transactionId = owner.transactionId();
        boolean[] written = new boolean[ROWS];
        for (int row = 0; row < ROWS; row++) {
            if (random.oneIn(2)) {
                written[row] = write(waiter, row, random);
            }
        }
        Thread.onSpinWait();
        for (int row = 0; row < ROWS; row++) {
            if (written[row] && writers.get(row) != owner.transactionId()) {
                throw new AssertionError("two writers of a row: row=" + row);
            }
        }
        if (random.oneIn(3)) {
            table.remove(owner.transactionId());
        } else {
            table.committing(owner.transactionId());
            table.committed(owner.transactionId(), 1000);
        }
        locks.ownerEnded(owner);
    }

    /** As RowWriter does it: look under the latch, wait without it, look again. */
    private boolean write(RowWaiter waiter, int row, SeededRandom random) {
        byte[] key = {(byte) row};
        long start = System.nanoTime();
        while (true) {
            long waitFor;
            leaves[row].lock();
            try {
                long writer = writers.get(row);
                long holder = locks.holder(TREE, key, 1);
                boolean isFree = writer == 0 || table.hasEnded(writer);
                if (isFree && (holder == 0 || holder == waiter.transactionId)) {
                    if (random.oneIn(5)) {
                        break;
                    }
                    writers.set(row, waiter.transactionId);
                    if (waiter.isGranted()) {
                        locks.wrote(waiter);
                    }
                    return true;
                }
                waitFor = isFree ? 0 : writer;
            } finally {
                leaves[row].unlock();
            }
            locks.await(waiter, "t", TREE, key, 1, waitFor, start, LIMIT);
        }
        if (waiter.isQueued()) {
            locks.leave(waiter);
        }
        return false;
    }
}
