// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The disk that is to catch the engine is caught itself: each way in which it could be dishonest is
 * planted and must be noticed, and each rule must be broken by some of them.
 */
final class DiskHonestyTest {
    private static final Map<DiskFlaw, Set<DiskRule>> BROKEN = new EnumMap<>(DiskFlaw.class);

    @BeforeAll
    static void putAllToAllRules() throws IOException {
        for (DiskFlaw flaw : DiskFlaw.values()) {
            BROKEN.put(flaw, brokenBy(flaw));
        }
    }

    @Test
    void givenTheDiskOfAllTests_whenPutToAllRules_thenEachHolds() {
        assertThat(BROKEN.get(DiskFlaw.NONE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = DiskFlaw.class, names = "NONE", mode = Mode.EXCLUDE)
    void givenADishonestDisk_whenPutToAllRules_thenItIsCaught(DiskFlaw flaw) {
        assertThat(BROKEN.get(flaw)).isNotEmpty();
    }

    @Test
    void givenAllDishonestDisks_whenPutToAllRules_thenNoRuleIsIdle() {
        Set<DiskRule> broken = EnumSet.noneOf(DiskRule.class);

        BROKEN.values().forEach(broken::addAll);

        assertThat(broken).containsExactlyInAnyOrder(DiskRule.values());
    }

    private static Set<DiskRule> brokenBy(DiskFlaw flaw) throws IOException {
        Set<DiskRule> broken = EnumSet.noneOf(DiskRule.class);
        for (DiskRule rule : DiskRule.values()) {
            if (!rule.holds(SimulatedDisk.flawed(DiskOptions.DEFAULT, flaw))) {
                broken.add(rule);
            }
        }
        return broken;
    }
}
