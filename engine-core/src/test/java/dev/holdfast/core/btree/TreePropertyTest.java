// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A whole tree of small pages over a pool that is smaller than it, against a sorted map. If this
 * failed, rows would vanish, come twice, or be found in the wrong order.
 */
@ExtendWith(SeedExtension.class)
final class TreePropertyTest {
    private static final int PAGE_BYTES = 4096;
    private static final int STEPS = SeedExtension.everydayOrSoak(30_000, 600_000);

    private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

    @Test
    void givenRandomChanges_whenReadByKeyAndByScan_thenTreeAndModelAgree(SeededRandom random) {
        try (TreeFixture fixture = new TreeFixture(PAGE_BYTES, 64)) {
            TreeWrites writes = fixture.writes();
            for (int step = 0; step < STEPS; step++) {
                // the share of removals swings, so that the tree grows and shrinks
                boolean shrinks = step / (STEPS / 6) % 3 == 2;
                step(random, writes, shrinks ? 80 : 15);
                if (step % (STEPS / 12) == 0) {
                    checkAll(fixture);
                }
            }
            checkAll(fixture);
            removeAll(fixture, writes);

            assertThat(fixture.mtrs.counters.sum(Counter.LEAF_SPLITS)).isPositive();
            assertThat(fixture.mtrs.counters.sum(Counter.INNER_SPLITS)).isPositive();
            assertThat(fixture.mtrs.counters.sum(Counter.PAGE_MERGES)).isPositive();
            assertThat(fixture.mtrs.counters.sum(Counter.ROOT_COLLAPSES)).isPositive();
            assertThat(fixture.mtrs.counters.sum(Counter.PAGES_EVICTED)).isPositive();
        }
    }

    private void step(SeededRandom random, TreeWrites writes, int removals) {
        byte[] key = key(random);
        int dice = random.nextInt(100);
        if (dice < removals) {
            byte[] present = model.floorKey(key);
            if (present != null) {
                assertThat(writes.remove(present)).isTrue();
                model.remove(present);
            }
        } else if (dice < 90) {
            byte[] value =
                    random.bytes(random.oneIn(10) ? random.nextInt(20) : random.nextInt(400));
            writes.put(key, value);
            model.put(key, value);
        } else {
            assertThat(writes.get(key)).isEqualTo(model.get(key));
        }
    }

    private static byte[] key(SeededRandom random) {
        int length = random.nextInt(20) == 0 ? random.nextInt(513) : 1 + random.nextInt(24);
        byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
            key[i] = (byte) (random.nextInt(i % 5 == 0 ? 8 : 2) * 31);
        }
        return key;
    }

    private void removeAll(TreeFixture fixture, TreeWrites writes) {
        for (byte[] key : model.keySet()) {
            assertThat(writes.remove(key)).isTrue();
        }
        model.clear();
        TreeCheck check = checkAll(fixture);
        assertThat(check.leaves()).as("leaves of an emptied tree").isLessThanOrEqualTo(2);
    }

    private TreeCheck checkAll(TreeFixture fixture) {
        TreeCheck check = fixture.check();
        assertThat(check.records()).isEqualTo(model.size());
        LeafSnapshot leaf = new LeafSnapshot(fixture.tree);
        scanUp(leaf);
        scanDown(leaf);
        return check;
    }

    private void scanUp(LeafSnapshot leaf) {
        byte[] key = new byte[PAGE_BYTES];
        var rows = model.entrySet().iterator();
        leaf.seekFirst();
        for (int slot = 0; slot != LeafSnapshot.NO_LEAF; slot = leaf.nextLeaf()) {
            for (; slot < leaf.count(); slot++) {
                assertSame(leaf, slot, rows.next(), key);
            }
        }
        assertThat(rows.hasNext()).isFalse();
    }

    private void scanDown(LeafSnapshot leaf) {
        byte[] key = new byte[PAGE_BYTES];
        var rows = model.descendingMap().entrySet().iterator();
        leaf.seekLast();
        int slot = leaf.count() - 1;
        while (slot != LeafSnapshot.NO_LEAF) {
            for (; slot >= 0; slot--) {
                assertSame(leaf, slot, rows.next(), key);
            }
            slot = TreeFixture.previousLeaf(leaf);
        }
        assertThat(rows.hasNext()).isFalse();
    }

    private static void assertSame(
            LeafSnapshot leaf, int slot, Map.Entry<byte[], byte[]> row, byte[] key) {
        int length = leaf.key(slot, key);
        byte[] expected = row.getKey();
        assertThat(Arrays.equals(key, 0, length, expected, 0, expected.length)).isTrue();
        assertThat(leaf.compareKey(slot, expected, expected.length)).isZero();
        int record = leaf.record(slot);
        byte[] value =
                new byte[LeafRecord.valueLength(leaf.chunk(), record, leaf.recordLength(slot))];
        PageMemory.copyOut(
                leaf.chunk(), LeafRecord.valueAt(leaf.chunk(), record), value, 0, value.length);
        assertThat(value).isEqualTo(row.getValue());
    }
}
