// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, a checkpoint could pass a change that is not on the disk (P11). */
final class FlushListTest {
    private final FrameTable frames = new FrameTable(64);
    private final FlushList list = new FlushList(frames);

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
    void givenNoChangeSinceTheCopy_whenWritten_thenThePageIsClean() {
        list.changed(1, 100);
        frames.tryBeginWriting(1);

        list.written(1);

        assertThat(frames.recoveryLsnAcquire(1)).isZero();
        assertThat(frames.isWriting(1)).isFalse();
        assertThat(list.count()).isZero();
    }

    @Test
    void givenChangesSinceTheCopy_whenWritten_thenTheFirstOfThemIsTheRecoveryLsn() {
        list.changed(1, 100);
        list.changed(2, 150);
        frames.tryBeginWriting(1);
        list.changed(1, 200);
        list.changed(1, 300);
        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(100);

        list.written(1);

        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(200);
        int[] found = new int[4];
        assertThat(list.collect(found, 0, 4, Long.MAX_VALUE)).isEqualTo(2);
        assertThat(found).startsWith(2, 1);
    }

    @Test
    void givenAWriteThatFailed_whenItEnds_thenTheOldRecoveryLsnStands() {
        list.changed(1, 100);
        frames.tryBeginWriting(1);
        list.changed(1, 200);

        list.notWritten(1);

        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(100);
        frames.tryBeginWriting(1);
        list.written(1);
        assertThat(frames.recoveryLsnAcquire(1)).isZero();
    }

    @Test
    void givenAPageDiscardedWhileBeingWrittenAndChangedAgain_whenWritten_thenItIsStillDirty() {
        list.changed(1, 100);
        frames.tryBeginWriting(1);
        assertThat(list.discarded(1)).isTrue();
        list.changed(1, 200);

        list.written(1);

        assertThat(frames.recoveryLsnAcquire(1)).isEqualTo(200);
        assertThat(list.count()).isEqualTo(1);
    }

    @Test
    void givenAFrameBeingWritten_whenCollected_thenItIsLeftOut() {
        list.changed(1, 100);
        list.changed(2, 200);
        list.changed(3, 300);
        frames.tryBeginWriting(1);

        int[] found = new int[4];
        int count = list.collect(found, 0, 4, 300);

        assertThat(count).isEqualTo(1);
        assertThat(found).startsWith(2);
    }
}
