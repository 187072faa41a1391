// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** If this fails, a condemned page is freed too early, or never. */
final class CondemnedQueueTest {
    private final CondemnedQueue queue = new CondemnedQueue(0);

    @Test
    void givenAPageInTheQueue_whenItIsAddedAgain_thenTheFirstEntryStays() {
        queue.add(7, 0, false, 3);

        assertThat(queue.add(7, 0, false, 5)).isTrue();

        assertThat(queue.count()).isEqualTo(1);
        assertThat(queue.epoch(0)).isEqualTo(3);
    }

    @Test
    void givenAFullQueue_whenAPageIsAdded_thenItsGroupIsMarked() {
        for (int i = 0; i < CondemnedQueue.CAPACITY; i++) {
            assertThat(queue.add(i, 0, false, 1)).isTrue();
        }

        assertThat(queue.add(9999, 4, true, 1)).isFalse();

        assertThat(queue.unscannedGroup(0)).isEqualTo(4);
    }

    @Test
    void givenSeveralPages_whenOneIsRemoved_thenTheOthersKeepTheirOrder() {
        queue.add(1, 0, false, 1);
        queue.add(2, 0, true, 2);
        queue.add(3, 0, true, 3);

        queue.remove(1);
        queue.remove(99);

        assertThat(queue.count()).isEqualTo(2);
        assertThat(queue.page(0)).isEqualTo(2);
        assertThat(queue.isChain(0)).isTrue();
        assertThat(queue.epoch(1)).isEqualTo(3);
    }
}
