// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, LSNs would not be positions in the files, or two blocks would share a place. */
@ExtendWith(SeedExtension.class)
final class LsnTest {
    @Test
    void givenPositionsAroundBorders_whenMapped_thenTheLsnSkipsTheHeaders() {
        assertThat(Lsn.fromPayload(Lsn.FIRST_POSITION)).isEqualTo(4096 + 64);
        assertThat(Lsn.fromPayload(2 * 4032 - 1)).isEqualTo(2 * 4096 - 1);
        assertThat(Lsn.fromPayload(2 * 4032)).isEqualTo(2 * 4096 + 64);
    }

    @Test
    void givenRandomPositions_whenMappedThereAndBack_thenNothingChangesAndOrderIsKept(
            SeededRandom random) {
        long previous = Lsn.FIRST_POSITION;
        for (int i = 0; i < 10_000; i++) {
            long position = previous + 1 + random.nextLong(1L << random.between(1, 40));

            long lsn = Lsn.fromPayload(position);

            assertThat(Lsn.toPayload(lsn)).isEqualTo(position);
            assertThat(lsn).isGreaterThan(Lsn.fromPayload(previous));
            previous = position;
        }
    }

    @Test
    void givenALengthThatEndsAtABorder_whenTheEndIsAsked_thenItIsBehindTheNextHeader() {
        assertThat(Lsn.endOfGroup(2 * 4032 - 32, 17)).isEqualTo(2 * 4096 + 64);
        assertThat(Lsn.endOfGroup(2 * 4032 - 32, 33)).isEqualTo(2 * 4096 + 64 + 16);
    }

    @Test
    void givenALayout_whenBlocksOfOneLapArePlaced_thenNoTwoShareAPlaceAndNoneIsAHeader() {
        RedoLayout layout = new RedoLayout(3, 6 * 4096);
        Set<Long> places = new HashSet<>();

        for (long block = 100; block < 100 + layout.totalBlocks(); block++) {
            long position = layout.positionOf(block);
            assertThat(position).isBetween(4096L, 5 * 4096L);
            assertThat(places.add(layout.segmentOf(block) * 1_000_000L + position)).isTrue();
        }

        assertThat(layout.totalBlocks()).isEqualTo(15);
        assertThat(layout.segmentOf(100 + 15)).isEqualTo(layout.segmentOf(100));
        assertThat(layout.positionOf(100 + 15)).isEqualTo(layout.positionOf(100));
        assertThat(layout.blocksToSegmentEnd(104)).isEqualTo(1);
    }

    @Test
    void givenACapacity_whenALayoutIsMade_thenItsBlocksHoldIt() {
        assertThat(RedoLayout.ofCapacity(512 << 10).capacityBytes()).isEqualTo(512 << 10);
        assertThat(RedoLayout.ofCapacity(100_000).capacityBytes()).isGreaterThanOrEqualTo(100_000);
    }

    @Test
    void givenSizesThatDoNotFit_whenOptionsAreMade_thenTheyAreRefusedByName() {
        RedoLayout layout = RedoLayout.ofCapacity(1 << 20);
        assertThat(new RedoOptions(layout, 1 << 19, 1 << 17).ringBytes()).isEqualTo(1 << 19);

        assertThatThrownBy(() -> new RedoOptions(layout, 1 << 18, 1 << 17))
                .hasMessageContaining("ringBytes=262144");
        assertThatThrownBy(() -> new RedoOptions(layout, (1 << 19) + 4096, 1 << 16))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RedoOptions(layout, 1 << 20, 1 << 18))
                .hasMessageContaining("capacityBytes=1048576");
        assertThatThrownBy(() -> new RedoLayout(4, 5000)).hasMessageContaining("segmentBytes=5000");
    }

    @Test
    void givenAnEndWithinABlock_whenAnEpochBegins_thenItStartsInTheNextBlock() {
        LogPosition within = new LogPosition(new UUID(1, 2), 5 * 4096 + 80, 3, 4160);
        LogPosition atBorder = new LogPosition(new UUID(1, 2), 5 * 4096 + 64, 3, 4160);

        assertThat(within.epochStartLsn()).isEqualTo(6 * 4096);
        assertThat(within.startLsn()).isEqualTo(6 * 4096 + 64);
        assertThat(atBorder.epochStartLsn()).isEqualTo(5 * 4096);
    }
}
