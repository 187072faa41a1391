// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.io.stats.IoSites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many submitters on small queues, then a close in the midst: each request ends once, and what was
 * written last is what is read, or merging has mixed up pages.
 */
@ExtendWith(SeedExtension.class)
@Timeout(60)
final class IoSchedulerStressTest {
    private static final int PAGE = 4096;
    private static final int THREADS = 4;
    private static final int PAGES_EACH = 64;
    private static final int ROUNDS = 400;
    private static final IoSchedulerOptions SMALL = new IoSchedulerOptions(2, 2, 8, 8 * PAGE);

    @Test
    void givenTheSimulatedDisk_whenThreadsWriteAndRead_thenEachReadsWhatItWrote(SeededRandom random)
            throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        disk.stopRecording();

        run(disk.directory(), random);
    }

    @Test
    void givenRealFiles_whenThreadsWriteAndRead_thenEachReadsWhatItWrote(
            @TempDir Path temporary, SeededRandom random) throws Exception {
        try (StorageDirectory directory = FileSystemDirectory.open(temporary, FileMode.BUFFERED)) {
            run(directory, random);
        }
    }

    private static void run(StorageDirectory directory, SeededRandom random) throws Exception {
        List<Worker> workers = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (StorageFile file = directory.create("a");
                IoScheduler scheduler = IoScheduler.start(SMALL, IoSites.IO_QUEUE, n -> {})) {
            file.zeroFill(0, (long) THREADS * PAGES_EACH * PAGE);
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Worker worker = new Worker(scheduler, file, i, random.derive(i));
                workers.add(worker);
                futures.add(
                        threads.submit(
                                () -> {
                                    worker.run();
                                    return null;
                                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
            scheduler.close(Long.MAX_VALUE);
            long accepted = 0;
            for (IoClass who : IoClass.values()) {
                accepted += scheduler.accepted(who);
            }
            assertThat(scheduler.transfers() + scheduler.merged()).isEqualTo(accepted);
            assertThat(scheduler.merged()).isPositive();
            assertThat(scheduler.completionFailures()).isZero();
        } finally {
            threads.shutdown();
        }
        int completed = workers.stream().mapToInt(worker -> worker.completed.get()).sum();
        int submitted = workers.stream().mapToInt(worker -> worker.submitted).sum();
        assertThat(completed).isEqualTo(submitted);
    }

    /** Writes its own pages, interleaved with the others', in bursts, and reads them back. */
    private static final class Worker {
        private final IoScheduler scheduler;
        private final StorageFile file;
        private final int number;
        private final SeededRandom random;
        private final int[] versions = new int[PAGES_EACH];
        private final IoRequest[] requests = new IoRequest[PAGES_EACH];
        private final ByteBuffer[] buffers = new ByteBuffer[PAGES_EACH];
        private final Semaphore ended = new Semaphore(0);
        private final AtomicInteger completed = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private int submitted;

        Worker(IoScheduler scheduler, StorageFile file, int number, SeededRandom random) {
            this.scheduler = scheduler;
            this.file = file;
            this.number = number;
            this.random = random;
            for (int i = 0; i < PAGES_EACH; i++) {
                requests[i] = new IoRequest(this::completed);
                buffers[i] = ByteBuffer.allocateDirect(PAGE);
            }
        }

        void run() throws IOException {
            for (int round = 0; round < ROUNDS; round++) {
                boolean isWrite = random.nextBoolean();
                int first = random.nextInt(PAGES_EACH);
                int count = random.between(1, Math.min(12, PAGES_EACH - first));
                int begun = 0;
                for (int i = first; i < first + count; i++) {
                    begun += submit(i, isWrite) ? 1 : 0;
                }
                submitted += begun;
                ended.acquireUninterruptibly(begun);
                for (int i = first; i < first + count && !isWrite; i++) {
                    check(i);
                }
            }
            assertThat(failed.get()).isZero();
        }

        private boolean submit(int index, boolean isWrite) throws IOException {
            long position = ((long) index * THREADS + number) * PAGE;
            ByteBuffer buffer = buffers[index].clear();
            IoClass who = random.pickOf(IoClass.values());
            if (isWrite) {
                versions[index]++;
                for (int i = 0; i < PAGE; i += Integer.BYTES) {
                    buffer.putInt(i, content(index));
                }
                scheduler.submit(who, requests[index].write(file, position, buffer));
                return true;
            }
            requests[index].read(file, position, buffer);
            boolean isAccepted = scheduler.trySubmit(who, requests[index]);
            if (!isAccepted) {
                file.read(position, buffer);
            }
            return isAccepted;
        }

        private void check(int index) {
            int expected = versions[index] == 0 ? 0 : content(index);
            for (int i = 0; i < PAGE; i += Integer.BYTES) {
                assertThat(buffers[index].getInt(i)).isEqualTo(expected);
            }
        }

        private int content(int index) {
            return (versions[index] * THREADS + number) * PAGES_EACH + index;
        }

        private void completed(IoRequest request, Throwable failure) {
            completed.incrementAndGet();
            if (failure != null) {
                failed.incrementAndGet();
            }
            ended.release();
        }
    }
}
