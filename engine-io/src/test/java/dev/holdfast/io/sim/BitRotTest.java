// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static dev.holdfast.io.sim.TestBytes.createSynced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.sim.DamageBudget.Region;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rot within a budget: were a page and its only copy to rot in a test that demands survival, the
 * engine would fail for nothing.
 */
final class BitRotTest {
    private static final int BYTES = 300;

    private final SimulatedDisk disk = SimulatedDisk.create();

    @BeforeEach
    void createFiles() throws IOException {
        for (String name : List.of("page", "copy", "alone")) {
            createSynced(disk.directory(), name, BYTES, 1);
        }
    }

    @Test
    void givenADestructiveBudget_whenBitsRot_thenSoManyBytesDifferInOneBitAndEverywhere()
            throws IOException {
        BitRot rot = new BitRot(DamageBudget.destructive(), new SeededRandom(3));

        List<Region> flipped = rot.flip(disk, List.of("page", "copy", "alone"), 60);

        assertThat(flipped).hasSize(60).doesNotHaveDuplicates();
        assertThat(disk.count(Injection.DAMAGED)).isEqualTo(60);
        assertThat(wrongBits("page") + wrongBits("copy") + wrongBits("alone")).isEqualTo(60);
        for (String name : List.of("page", "copy", "alone")) {
            assertThat(wrongBits(name)).isGreaterThan(5);
        }
    }

    @Test
    void givenASurvivableBudget_whenBitsRot_thenOneMemberOfThePairStaysSoundAndWhatIsAlone()
            throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            SimulatedDisk image = disk.crash(CrashMode.NOTHING_PENDING, seed).disk();
            DamageBudget budget =
                    DamageBudget.survivable()
                            .pair(new Region("page", 0, BYTES), new Region("copy", 0, BYTES));

            List<Region> flipped =
                    new BitRot(budget, new SeededRandom(seed))
                            .flip(image, List.of("page", "copy", "alone"), 30);

            assertThat(flipped).hasSize(30);
            assertThat(flipped).extracting(Region::name).containsOnly(flipped.get(0).name());
            assertThat(flipped.get(0).name()).isNotEqualTo("alone");
        }
    }

    @Test
    void givenNothingThatMayRot_whenTried_thenItEndsAndNothingIsHurt() throws IOException {
        BitRot rot = new BitRot(DamageBudget.survivable(), new SeededRandom(1));

        List<Region> flipped = rot.flip(disk, List.of("alone"), 3);

        assertThat(flipped).isEmpty();
        assertThat(wrongBits("alone")).isZero();
    }

    @Test
    void givenARegionAcrossBothMembers_whenClaimed_thenItIsRefused() {
        DamageBudget budget =
                DamageBudget.survivable()
                        .pair(new Region("page", 0, 10), new Region("page", 10, 20));

        boolean both = budget.claim(new Region("page", 9, 11));
        boolean first = budget.claim(new Region("page", 2, 5));
        boolean second = budget.claim(new Region("page", 12, 13));
        boolean firstAgain = budget.claim(new Region("page", 0, 10));

        assertThat(List.of(both, first, second, firstAgain))
                .containsExactly(false, true, false, true);
    }

    private int wrongBits(String name) throws IOException {
        int wrong = 0;
        for (byte each : disk.contents(name)) {
            wrong += Integer.bitCount((each ^ 1) & 0xFF);
        }
        return wrong;
    }
}
