// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The queue: a request that it lost would never be done, a wrong neighbour written elsewhere. */
@ExtendWith(SeedExtension.class)
final class PendingRequestsPropertyTest {
    private static final int PAGE = 4096;
    private static final int COUNT_MAX = 64;

    private final List<StorageFile> files = new ArrayList<>();
    private final IoRequest[] run = new IoRequest[8];

    @BeforeEach
    void createFiles() throws IOException {
        MemoryDirectory directory = MemoryDirectory.create();
        files.add(directory.create("b"));
        files.add(directory.create("a"));
        files.add(directory.open("a"));
    }

    @RepeatedTest(10)
    void givenRandomRequests_whenTaken_thenEachComesOnceAndRunsAreOfNeighbours(
            SeededRandom random) {
        PendingRequests pending = new PendingRequests(COUNT_MAX);
        Set<IoRequest> model = Collections.newSetFromMap(new IdentityHashMap<>());
        int mergedRuns = 0;

        for (int step = 0; step < 5000; step++) {
            if (!pending.isFull() && (model.isEmpty() || random.chance(0.6))) {
                IoRequest request =
                        request(random.pick(files), random.nextInt(60), random.between(1, 2));
                pending.add(request);
                model.add(request);
            } else {
                int count = pending.takeRun(run, 6 * PAGE);
                mergedRuns += count > 1 ? 1 : 0;
                int bytes = run[0].length();
                assertThat(model.remove(run[0])).isTrue();
                for (int i = 1; i < count; i++) {
                    assertThat(model.remove(run[i])).isTrue();
                    assertThat(run[i].file()).isSameAs(run[i - 1].file());
                    assertThat(run[i].position()).isEqualTo(run[i - 1].end());
                    bytes += run[i].length();
                }
                assertThat(bytes).isLessThanOrEqualTo(6 * PAGE);
            }
            assertThat(pending.count()).isEqualTo(model.size());
        }

        assertThat(mergedRuns).isGreaterThan(50);
    }

    @Test
    void givenNewRequestsBeforeTheHand_whenTaken_thenThoseBehindItComeFirst() {
        PendingRequests pending = new PendingRequests(COUNT_MAX);
        StorageFile file = files.get(0);
        for (int page : List.of(50, 10, 30)) {
            pending.add(request(file, page, 1));
        }

        List<Long> order = new ArrayList<>();
        for (int page = 0; pending.count() > 0; page += 2) {
            pending.takeRun(run, 0);
            order.add(run[0].position() / PAGE);
            if (page < 6) {
                pending.add(request(file, page, 1));
            }
        }

        assertThat(order).containsExactly(10L, 30L, 50L, 0L, 2L, 4L);
    }

    private static IoRequest request(StorageFile file, long page, int pages) {
        ByteBuffer bytes = ByteBuffer.allocate(pages * PAGE);
        return new IoRequest((done, failure) -> {}).write(file, page * PAGE, bytes);
    }
}
