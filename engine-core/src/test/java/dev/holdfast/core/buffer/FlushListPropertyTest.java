// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, the oldest change that is not on the disk would be missed, or never left. */
@ExtendWith(SeedExtension.class)
final class FlushListPropertyTest {
    private static final int FRAMES = 256;
    private static final int BATCHES = 2;

    private final FrameTable frames = new FrameTable(FRAMES);
    private final FlushList list = new FlushList(frames);
    private final PageWrites writes = new PageWrites(new EngineHealth(), BATCHES);

    /** What the frame's oldest change is that no copy holds, and that its copy holds; 0 is none. */
    private final long[] unwritten = new long[FRAMES];

    private final long[] inCopy = new long[FRAMES];
    private final List<List<Integer>> batches = new ArrayList<>();

    @AfterEach
    void close() {
        frames.close();
    }

    @Test
    void givenChangesWritesAndDrops_whenTheOldestIsSought_thenItIsThatOfAllFrames(
            SeededRandom random) {
        long lsn = 1000;
        for (int i = 0; i < BATCHES; i++) {
            batches.add(new ArrayList<>());
        }
        for (int step = 0; step < SeedExtension.everydayOrSoak(20_000, 400_000); step++) {
            int frame = random.nextInt(FRAMES);
            switch (random.nextInt(20)) {
                case 0 -> endBatch(random.nextInt(BATCHES));
                case 1, 2, 3, 4 -> copy(frame, random.nextInt(BATCHES));
                case 5 -> discard(frame);
                default -> {
                    lsn += 10;
                    change(frame, lsn - late(random));
                }
            }

            assertThat(Math.min(list.oldestLsn(), writes.oldestLsn()))
                    .as("step %d", step)
                    .isBetween(oldestInCopies(), oldest());
            if (step % 100 == 0) {
                checkOrder();
            }
        }
    }

    /** Most changes come in order, some late, a few very late. */
    private static long late(SeededRandom random) {
        return switch (random.nextInt(16)) {
            case 0 -> 10L * random.nextInt(80);
            case 1, 2 -> 10L * random.nextInt(10);
            default -> 0;
        };
    }

    private void change(int frame, long lsn) {
        list.changed(frame, lsn);
        if (unwritten[frame] == 0) {
            unwritten[frame] = lsn;
        }
    }

    private void copy(int frame, int batch) {
        boolean begins = unwritten[frame] != 0 && inCopy[frame] == 0 && !isInBatch(frame);
        assertThat(list.beginWriting(frame, writes, batch)).isEqualTo(begins);
        if (begins) {
            inCopy[frame] = unwritten[frame];
            unwritten[frame] = 0;
            batches.get(batch).add(frame);
        }
    }

    private void endBatch(int batch) {
        for (int frame : batches.get(batch)) {
            list.written(frame);
            inCopy[frame] = 0;
            assertThat(frames.recoveryLsnAcquire(frame)).isEqualTo(unwritten[frame]);
        }
        batches.get(batch).clear();
        writes.ended(batch);
    }

    private void discard(int frame) {
        assertThat(list.discarded(frame)).isEqualTo(unwritten[frame] != 0 || inCopy[frame] != 0);
        unwritten[frame] = 0;
        inCopy[frame] = 0;
    }

    private boolean isInBatch(int frame) {
        return batches.stream().anyMatch(batch -> batch.contains(frame));
    }

    private long oldest() {
        long oldest = Long.MAX_VALUE;
        for (int frame = 0; frame < FRAMES; frame++) {
            oldest = unwritten[frame] == 0 ? oldest : Math.min(oldest, unwritten[frame]);
            oldest = inCopy[frame] == 0 ? oldest : Math.min(oldest, inCopy[frame]);
        }
        return oldest;
    }

    /** A batch stands for its oldest page until it ends, also if that page was dropped. */
    private long oldestInCopies() {
        return Math.min(writes.oldestLsn(), oldest());
    }

    private void checkOrder() {
        int[] found = new int[FRAMES];
        int count = list.collect(found, 0, FRAMES, Long.MAX_VALUE);
        int expected = 0;
        long last = 0;
        for (int frame = 0; frame < FRAMES; frame++) {
            expected += unwritten[frame] != 0 && !isInBatch(frame) ? 1 : 0;
        }
        for (int i = 0; i < count; i++) {
            assertThat(unwritten[found[i]]).isGreaterThanOrEqualTo(last);
            last = unwritten[found[i]];
        }
        assertThat(count).isEqualTo(expected);
    }
}
