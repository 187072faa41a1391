// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Many threads on one disk: were the trace not one total order, an image could lack what had been
 * acknowledged, and failures of the engine would be the disk's.
 */
final class SimulatedDiskStressTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 150;

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final StorageDirectory directory = disk.directory();

    @Test
    void givenThreadsThatWriteSyncAndMark_whenCrashedAnywhere_thenEachMarkHolds() throws Exception {
        StorageFile shared = directory.create("a");
        directory.syncDirectory("");
        runThreads(thread -> writeSyncAndMark(shared, thread));
        Trace trace = disk.trace();

        for (int point = 0; point <= trace.eventCount(); point += 3) {
            CrashImage image = CrashImage.build(trace, point, CrashMode.RANDOM_SUBSET, point);
            if (image.markCount() > 0) {
                byte[] bytes = image.disk().contents("a");
                for (Object mark : image.marks()) {
                    int[] done = (int[]) mark;
                    int at = done[0] * Integer.BYTES;
                    assertThat(ByteBuffer.wrap(bytes).getInt(at)).isGreaterThanOrEqualTo(done[1]);
                }
            }
        }
    }

    @Test
    void givenOneTrace_whenThreadsBuildImagesOfIt_thenAllGetTheSame() throws Exception {
        StorageFile file = directory.create("a");
        for (int i = 0; i < 500; i++) {
            file.write(i * 100L, TestBytes.filled(700, i));
            if (i % 7 == 0) {
                file.sync(true);
            }
        }
        Trace trace = disk.trace();
        Map<Integer, Long> hashes = new ConcurrentHashMap<>();

        runThreads(
                thread -> {
                    for (int point = 0; point <= trace.eventCount(); point++) {
                        CrashMode mode = CrashMode.values()[point % CrashMode.values().length];
                        CrashImage image = CrashImage.build(trace, point, mode, 3);
                        long hash = image.contentHash();
                        Long other = hashes.putIfAbsent(point, hash);
                        assertThat(other == null || other == hash).as("point=%s", point).isTrue();
                    }
                });

        assertThat(hashes).hasSize(trace.eventCount() + 1);
    }

    private void writeSyncAndMark(StorageFile file, int thread) throws IOException {
        ByteBuffer number = ByteBuffer.allocateDirect(Integer.BYTES);
        for (int round = 1; round <= ROUNDS; round++) {
            number.clear().putInt(round).flip();
            file.write((long) thread * Integer.BYTES, number);
            file.sync(true);
            disk.mark(new int[] {thread, round});
        }
    }

    private static void runThreads(ThreadWork work)
            throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                done.add(
                        executor.submit(
                                () -> {
                                    work.run(thread);
                                    return null;
                                }));
            }
            for (Future<?> future : done) {
                future.get();
            }
        } finally {
            executor.shutdown();
        }
    }

    /** What each thread does. */
    private interface ThreadWork {
        void run(int thread) throws IOException;
    }
}
