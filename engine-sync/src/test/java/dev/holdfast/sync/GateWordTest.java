// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The fields of the gate's word; an overlap would let too many in. */
final class GateWordTest {
    @Test
    void givenTheLargestCounts_whenOneFieldChanges_thenTheOthersKeepTheirs() {
        long full = GateWord.entered(GateWord.of(GateWord.COUNT_MAX), GateWord.COUNT_MAX);
        long all = GateWord.closed(GateWord.waitersSet(full, true));

        assertThat(GateWord.inside(all)).isEqualTo(GateWord.COUNT_MAX);
        assertThat(GateWord.limit(all)).isEqualTo(GateWord.COUNT_MAX);
        assertThat(GateWord.isClosed(all)).isTrue();
        assertThat(GateWord.hasWaiters(all)).isTrue();
        assertThat(GateWord.hasWaiters(GateWord.waitersSet(all, false))).isFalse();
        assertThat(GateWord.limit(GateWord.limitSet(all, 0))).isZero();
        assertThat(GateWord.inside(GateWord.limitSet(all, 0))).isEqualTo(GateWord.COUNT_MAX);
        assertThat(GateWord.inside(GateWord.left(all, GateWord.COUNT_MAX))).isZero();
        assertThat(GateWord.isClosed(GateWord.left(all, GateWord.COUNT_MAX))).isTrue();
    }

    @Test
    void givenAWord_whenAskedForAdmission_thenRoomQueueAndCloseDecide() {
        long open = GateWord.of(2);

        assertThat(GateWord.admits(open)).isTrue();
        assertThat(GateWord.admits(GateWord.entered(open, 2))).isFalse();
        assertThat(GateWord.admits(GateWord.waitersSet(open, true))).isFalse();
        assertThat(GateWord.admits(GateWord.closed(open))).isFalse();
        assertThat(GateWord.free(GateWord.limitSet(GateWord.entered(open, 2), 1))).isZero();
    }

    @Test
    void givenTooMany_whenTheyEnterOrLeave_thenTheAssertionFails() {
        assertThatThrownBy(() -> GateWord.entered(GateWord.of(2), 3))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> GateWord.left(GateWord.of(2), 1))
                .isInstanceOf(AssertionError.class);
    }
}
