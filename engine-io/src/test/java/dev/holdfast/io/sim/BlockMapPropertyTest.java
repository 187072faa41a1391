// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Copies that share: were one to see another's changes, images would show the future. */
@ExtendWith(SeedExtension.class)
final class BlockMapPropertyTest {
    private static final int BLOCKS = 300;

    @RepeatedTest(10)
    void givenMapsAndCopies_whenAllAreChanged_thenEachAgreesWithItsOwnModel(SeededRandom random) {
        List<BlockMap> maps = new ArrayList<>(List.of(new BlockMap()));
        List<Map<Long, Block>> models = new ArrayList<>(List.of(new HashMap<>()));

        for (int step = 0; step < 2000; step++) {
            int which = random.nextInt(maps.size());
            BlockMap map = maps.get(which);
            Map<Long, Block> model = models.get(which);
            long blockNumber = random.nextInt(BLOCKS);
            if (random.oneIn(50) && maps.size() < 12) {
                maps.add(map.copy());
                models.add(new HashMap<>(model));
            } else if (random.oneIn(40)) {
                map.removeFrom(blockNumber);
                model.keySet().removeIf(number -> number >= blockNumber);
            } else {
                Block block = Block.of(random.bytes(Block.BYTES));
                map.put(blockNumber, block);
                model.put(blockNumber, block);
            }
        }

        for (int i = 0; i < maps.size(); i++) {
            for (long number = 0; number < BLOCKS + 100; number++) {
                assertThat(maps.get(i).get(number)).isSameAs(models.get(i).get(number));
            }
            assertThat(maps.get(i).allocatedCount()).isEqualTo(models.get(i).size());
        }
    }

    @Test
    void givenTheSameBytes_whenWrittenInOtherWays_thenTheHashesAgree() {
        BlockMap first = new BlockMap();
        BlockMap second = new BlockMap();
        byte[] bytes = new SeededRandom(1).bytes(Block.BYTES);
        first.put(7, Block.of(bytes));
        second.put(200, Block.of(bytes));
        second.removeFrom(200);

        second.put(7, Block.of(bytes.clone()));
        second.put(9, Block.of(new byte[Block.BYTES]));

        assertThat(second.hash()).isEqualTo(first.hash());
        second.put(8, Block.of(bytes));
        assertThat(second.hash()).isNotEqualTo(first.hash());
    }

    @Test
    void givenPendingChangesAndACopy_whenBothGrow_thenNeitherSeesTheOthers() {
        PendingChanges first = new PendingChanges();
        first.add(new PendingChange(1, null, 10));
        PendingChanges second = first.copy();

        first.add(new PendingChange(2, null, 20));
        second.add(new PendingChange(3, null, 30));
        second.removeFirst(1);

        assertThat(first.count()).isEqualTo(2);
        assertThat(first.get(1).sequence()).isEqualTo(2);
        assertThat(second.count()).isEqualTo(1);
        assertThat(second.get(0).sequence()).isEqualTo(3);
        assertThat(first.countBefore(2)).isEqualTo(1);
    }
}
