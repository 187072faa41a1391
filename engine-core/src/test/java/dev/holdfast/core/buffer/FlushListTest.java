// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.EngineHealth;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, a checkpoint could pass a change that is not on the disk (P11). */
final class FlushListTest {
    private static final int FRAMES = 4096;
    private static final int BATCH = 1;

    private final FrameTable frames = new FrameTable(FRAMES);
    private final FlushList list = new FlushList(frames);
    private final PageWrites writes = new PageWrites(new EngineHealth(), 2);

    @AfterEach
    void close() {
        frames.close();
    }

    @Test
    void givenChangesOutOfOrder_whenCollected_thenTheOldestComeFirst() {
        list.changed(1, 300);
        list.changed(2, 100);
        list.changed(3, 200);
        list.changed(1, 50);

        int[] found = new int[4];
        int count = list.collect(found, 0, 4, Long.MAX_VALUE);

        assertThat(count).isEqualTo(3);
        assertThat(found).startsWith(2, 3, 1);
        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(300);
    }

    @Test
    void givenChangesThatComeLateByThousands_whenCollected_thenTheOrderIsExactStill() {
        int late = 20;
        for (int i = late; i < FRAMES; i++) {
            list.changed(i, 1000L + i);
        }
        for (int i = late - 1; i >= 0; i--) {
            list.changed(i, 500L + 10L * i);
        }

        int[] found = new int[FRAMES];
        int count = list.collect(found, 0, FRAMES, Long.MAX_VALUE);

        assertThat(list.oldestLsn()).isEqualTo(500);
        assertThat(count).isEqualTo(FRAMES);
        for (int i = 0; i < FRAMES; i++) {
            assertThat(found[i]).isEqualTo(i);
        }
    }

    @Test
    void givenNoChangeSinceTheCopy_whenWritten_thenThePageIsClean() {
        list.changed(1, 100);
        beginWriting(1);

        list.written(1);

        assertThat(frames.recoveryLsnAcquire(1)).isZero();
        assertThat(frames.isWriting(1)).isFalse();
        assertThat(list.count()).isZero();
    }

    @Test
    void givenAFrameThatLeavesForABatch_whenTheOldestIsSought_thenTheBatchStandsForIt() {
        list.changed(1, 100);
        list.changed(2, 150);

        beginWriting(1);

        assertThat(list.oldestLsn()).isEqualTo(150);
        assertThat(writes.oldestLsn()).isEqualTo(100);
        list.written(1);
        writes.ended(BATCH);
        assertThat(writes.oldestLsn()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void givenACleanFrameOrOneBeingWritten_whenAWriteShallBegin_thenItDoesNot() {
        list.changed(1, 100);
        beginWriting(1);

        assertThat(list.beginWriting(1, writes, 0)).isFalse();
        assertThat(list.beginWriting(2, writes, 0)).isFalse();

        assertThat(frames.isWriting(2)).isFalse();
    }

    @Test
    void givenChangesSinceTheCopy_whenWritten_thenTheFirstOfThemIsTheRecoveryLsn() {
        list.changed(1, 100);
        list.changed(2, 150);
        beginWriting(1);
        list.changed(1, 200);
        list.changed(1, 300);
        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(100);
        assertThat(list.oldestLsn()).isEqualTo(150);

        list.written(1);

        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(200);
        int[] found = new int[4];
        assertThat(list.collect(found, 0, 4, Long.MAX_VALUE)).isEqualTo(2);
        assertThat(found).startsWith(2, 1);
    }

    @Test
    void givenAPageDiscardedWhileBeingWrittenAndChangedAgain_whenWritten_thenItIsStillDirty() {
        list.changed(1, 100);
        beginWriting(1);
        assertThat(list.discarded(1)).isTrue();
        list.changed(1, 200);

        list.written(1);

        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(200);
        assertThat(list.count()).isEqualTo(1);
        assertThat(list.oldestLsn()).isEqualTo(200);
    }

    @Test
    void givenAPageChangedWhileBeingWritten_whenDiscarded_thenTheListLetsItGo() {
        list.changed(1, 100);
        beginWriting(1);
        list.changed(1, 200);

        boolean wasDirty = list.discarded(1);
        list.written(1);

        assertThat(wasDirty).isTrue();
        assertThat(list.count()).isZero();
        assertThat(frames.recoveryLsnAcquire(1)).isZero();
    }

    @Test
    void givenAFrameBeingWrittenAndChanged_whenCollected_thenItIsLeftOut() {
        list.changed(1, 100);
        list.changed(2, 200);
        list.changed(3, 300);
        beginWriting(1);
        list.changed(1, 250);

        int[] found = new int[4];
        int count = list.collect(found, 0, 4, 300);

        assertThat(count).isEqualTo(1);
        assertThat(found).startsWith(2);
    }

    private void beginWriting(int frame) {
        assertThat(list.beginWriting(frame, writes, BATCH)).isTrue();
    }
}
