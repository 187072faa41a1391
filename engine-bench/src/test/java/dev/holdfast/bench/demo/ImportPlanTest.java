// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Durability;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

/** If this failed, parent and child would mean different rows by one number, or leave some out. */
class ImportPlanTest {
    private static final int ENTRIES = 5_000;

    private final ImportPlan plan = new ImportPlan(ENTRIES, 7);

    @Test
    void givenAPlan_whenItsBatchesAreTakenInOrder_thenEachEntryComesOnce() {
        BitSet entries = new BitSet();
        int count = 0;

        for (int place = 0; place < plan.batchCount(); place++) {
            int batch = plan.batchAt(place);
            entries.set(plan.firstEntry(batch), plan.endEntry(batch));
            count += plan.rowCount(batch);
        }

        assertThat(count).isEqualTo(ENTRIES);
        assertThat(entries.cardinality()).isEqualTo(ENTRIES);
    }

    @Test
    void givenOneSeed_whenPlannedTwice_thenThePlansAreEqual() {
        ImportPlan again = new ImportPlan(ENTRIES, 7);

        assertThat(again.batchCount()).isEqualTo(plan.batchCount());
        for (int place = 0; place < plan.batchCount(); place++) {
            int batch = plan.batchAt(place);
            assertThat(again.batchAt(place)).isEqualTo(batch);
            assertThat(again.firstEntry(batch)).isEqualTo(plan.firstEntry(batch));
        }
    }

    @Test
    void givenAnEntry_whenAskedForItsBatch_thenItLiesInIt() {
        for (int entry = 0; entry < ENTRIES; entry++) {
            int batch = plan.batchOf(entry);

            assertThat(entry).isBetween(plan.firstEntry(batch), plan.endEntry(batch) - 1);
        }
    }

    @Test
    void givenAPlan_whenLookedOver_thenSizesDifferAndNoBatchIsOnlyLazy() {
        BitSet sizes = new BitSet();

        for (int batch = 0; batch < plan.batchCount(); batch++) {
            sizes.set(plan.rowCount(batch));
            assertThat(plan.durability(batch)).isNotEqualTo(Durability.LAZY);
        }

        assertThat(sizes.nextSetBit(0)).isEqualTo(1);
        assertThat(sizes.length() - 1).isBetween(64, ImportPlan.BATCH_ROWS_MAX);
    }
}
