// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Schedulers that are closed while requests come and threads fall asleep. If this failed, a close
 * would lose a request that was accepted, or leave a thread asleep for ever.
 */
@ExtendWith(SeedExtension.class)
@Timeout(60)
final class IoCloseStressTest {
    private static final int PAGE = 4096;
    private static final int SUBMITTERS = 3;
    private static final int EVERYDAY_ROUNDS = 1_500;
    private static final int SOAK_ROUNDS = 100_000;
    private static final int SPINS_MAX = 20_000;
    private static final long END_NANOS = 20_000_000_000L;

    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();

    @Test
    void givenRequestsThatCome_whenClosed_thenEachAcceptedOneEndsAndNoThreadIsLeft(
            SeededRandom random) throws Exception {
        int rounds = SeedExtension.everydayOrSoak(EVERYDAY_ROUNDS, SOAK_ROUNDS);
        Set<Thread> before = ioThreads();

        try (MemoryDirectory directory = MemoryDirectory.create();
                StorageFile file = directory.create("a")) {
            file.zeroFill(0, 2L * SUBMITTERS * PAGE);
            for (int round = 0; round < rounds; round++) {
                closeUnderLoad(file, random);
            }
        }

        assertThat(completed.get()).isEqualTo(accepted.get()).isPositive();
        awaitEnd(before);
    }

    private void closeUnderLoad(StorageFile file, SeededRandom random) throws Exception {
        IoSchedulerOptions options = new IoSchedulerOptions(2, 2, random.between(1, 3), 0);
        IoScheduler scheduler = IoScheduler.start(options, IoSites.IO_QUEUE, nanos -> {});
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int number = i;
            Thread thread = new Thread(() -> submitUntilClosed(scheduler, file, number), "test");
            threads.add(thread);
            thread.start();
        }
        // Between none of them begun and all of them asleep in a full queue.
        for (int spins = random.nextInt(SPINS_MAX); spins > 0; spins--) {
            Thread.onSpinWait();
        }
        boolean waits = random.nextBoolean();
        try {
            scheduler.close(waits ? END_NANOS : 0);
        } catch (IOException someWereNotBegun) {
            assertThat(waits).isFalse();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        scheduler.close();
    }

    /** One or two at a time, and a pause now and then, so that the IO threads sleep too. */
    private void submitUntilClosed(IoScheduler scheduler, StorageFile file, int number) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(PAGE);
        try {
            for (int turn = 0; ; turn++) {
                IoRequest request = new IoRequest((done, why) -> completed.incrementAndGet());
                if (turn % 2 == 0) {
                    request.write(file, 2L * number * PAGE, bytes.duplicate());
                } else {
                    request.read(file, (2L * number + 1) * PAGE, bytes.duplicate());
                }
                scheduler.submit(IoClass.CLEANER, request);
                accepted.incrementAndGet();
                if (turn % 8 == number) {
                    Thread.yield();
                }
            }
        } catch (IOException closed) {
            // That is the end.
        }
    }

    private static void awaitEnd(Set<Thread> before) {
        long began = System.nanoTime();
        Set<Thread> left = ioThreads();
        left.removeAll(before);
        while (left.stream().anyMatch(Thread::isAlive)) {
            assertThat(System.nanoTime() - began).as("still there: %s", left).isLessThan(END_NANOS);
            Thread.onSpinWait();
        }
    }

    private static Set<Thread> ioThreads() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("holdfast-io-"));
        return threads;
    }
}
