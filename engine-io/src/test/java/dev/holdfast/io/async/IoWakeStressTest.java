// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.stats.IoSites;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Threads that fall asleep just when something comes: a wake-up that is lost would leave a request,
 * and who waits for it, for ever.
 */
@ExtendWith(SeedExtension.class)
@Timeout(60)
final class IoWakeStressTest {
    private static final int PAGE = 4096;
    private static final int SUBMITTERS = 3;
    private static final int EVERYDAY_ROUNDS = 15_000;

    private static final int SOAK_ROUNDS = 1_000_000;

    @Test
    void givenThreadsThatSleepBetweenRequests_whenSubmitted_thenEachRequestIsDone()
            throws Exception {
        int rounds = SeedExtension.everydayOrSoak(EVERYDAY_ROUNDS, SOAK_ROUNDS);
        IoSchedulerOptions options = new IoSchedulerOptions(1, 2, 2, 0);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (MemoryDirectory directory = MemoryDirectory.create();
                StorageFile file = directory.create("a");
                IoScheduler scheduler = IoScheduler.start(options, IoSites.IO_QUEUE, nanos -> {})) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < SUBMITTERS; i++) {
                int number = i;
                Thread thread =
                        new Thread(
                                () -> {
                                    try {
                                        submit(scheduler, file, number, rounds);
                                    } catch (Throwable thrown) {
                                        failure.set(thrown);
                                    }
                                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(failure.get()).isNull();
            assertThat(scheduler.accepted(IoClass.CLEANER))
                    .isEqualTo(scheduler.transfers())
                    .isGreaterThanOrEqualTo((long) SUBMITTERS * rounds);
        }
    }

    /** One, two or three at a time on queues of two: threads and submitters sleep all the time. */
    private static void submit(IoScheduler scheduler, StorageFile file, int number, int rounds)
            throws Exception {
        IoGroup group = new IoGroup(scheduler, IoClass.CLEANER);
        IoRequest[] requests = {group.newRequest(), group.newRequest(), group.newRequest()};
        ByteBuffer bytes = ByteBuffer.allocateDirect(PAGE);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i <= round % requests.length; i++) {
                long position = (number * requests.length + i) * 2L * PAGE;
                group.submit(requests[i].write(file, position, bytes.duplicate()));
            }
            group.await();
            for (int i = 0; i <= round % requests.length; i++) {
                assertThat(requests[i].failure()).isNull();
            }
        }
    }
}
