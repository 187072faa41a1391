// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How a tree grows: where it splits, and what it does instead. If this failed, loads in key order
 * would leave half-empty leaves, or a row could not be marked deleted because its leaf is full.
 */
final class TreeGrowthTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROWS = 2_000;

    private final TreeFixture fixture = new TreeFixture(PAGE_BYTES, 512);
    private final TreeWrites writes = fixture.writes();

    @AfterEach
    void checkAndClose() {
        fixture.check();
        fixture.close();
    }

    @Test
    void givenAscendingKeys_whenLoaded_thenLeavesAreFilledToFifteenSixteenths() {
        load(i -> i);

        assertThat(fill()).as("less what a record and a prefix round off").isGreaterThan(0.87);
    }

    @Test
    void givenDescendingKeys_whenLoaded_thenLeavesAreFilledToFifteenSixteenths() {
        load(i -> ROWS - 1 - i);

        assertThat(fill()).as("less what a record and a prefix round off").isGreaterThan(0.87);
    }

    @Test
    void givenTwoAscendingRunsInTheMiddle_whenLoaded_thenLeavesAreWellFilled() {
        // each run alone in its half, one insert here, twenty there
        load(i -> i / 20 % 2 == 0 ? i / 40 * 20 + i % 20 : ROWS + i / 40 * 20 + i % 20);

        assertThat(fill()).isGreaterThan(0.80);
    }

    @Test
    void givenRandomKeys_whenLoaded_thenLeavesAreSplitInTheMiddle() {
        SeededRandom random = new SeededRandom(5);
        load(i -> random.nextInt(1 << 20));

        assertThat(fill()).isBetween(0.55, 0.85);
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 16384, 65536})
    void givenLongestKeysAndRecords_whenInserted_thenEverySplitMakesRoom(int pageBytes) {
        try (TreeFixture large = new TreeFixture(pageBytes, 128)) {
            TreeWrites own = large.writes();
            SeededRandom random = new SeededRandom(pageBytes);
            int keyLength = TreeLimits.keyBytesMax(pageBytes);
            int valueMax = TreeLimits.recordBytesMax(pageBytes) - keyLength - 3 - 16;
            for (int i = 0; i < 300; i++) {
                // prefixes of full length: separators cannot be shortened
                byte[] key = new byte[keyLength - random.nextInt(2)];
                int end = random.nextInt(1 << 16);
                key[key.length - 2] = (byte) (end >>> 8);
                key[key.length - 1] = (byte) end;
                own.put(key, LeafRecord.HAS_VERSION, 1, 2, new byte[random.nextInt(valueMax + 1)]);
            }

            large.check();
            assertThat(large.mtrs.counters.sum(Counter.INNER_SPLITS)).isPositive();
        }
    }

    @Test
    void givenAFullLeafOfSettledRows_whenOneIsMarkedDeleted_thenALeafIsSplitForTheVersion() {
        load(i -> i);
        long splits = fixture.mtrs.counters.sum(Counter.LEAF_SPLITS);

        for (int i = 0; i < ROWS; i++) {
            int flags = LeafRecord.DELETED | LeafRecord.HAS_VERSION;
            assertThat(writes.mark(key(i), flags, 7, 9)).isTrue();
        }

        assertThat(fixture.mtrs.counters.sum(Counter.LEAF_SPLITS)).isGreaterThan(splits);
        ReadPosition p = new ReadPosition(fixture.pool);
        fixture.tree.search(key(ROWS / 2), 4, p);
        assertThat(LeafRecord.isDeleted(p.chunk(), p.record())).isTrue();
        assertThat(LeafRecord.txnId(p.chunk(), p.record())).isEqualTo(7);
        assertThat(LeafRecord.roll(p.chunk(), p.record())).isEqualTo(9);
    }

    @Test
    void givenLeavesFullOfSettledVersions_whenMoreIsInserted_thenVersionsGoBeforeALeafIsSplit() {
        writes.settled(txnId -> txnId <= 100);
        for (int i = 0; i < 50; i++) {
            writes.put(
                    key(10 * i), LeafRecord.HAS_VERSION, i % 2 == 0 ? 100 : 101, 9, new byte[40]);
        }
        assertThat(fixture.mtrs.counters.sum(Counter.LEAF_SPLITS)).isZero();
        for (int i = 50; i < 62; i++) {
            writes.put(key(10 * i), LeafRecord.HAS_VERSION, 101, 9, new byte[40]);
        }

        assertThat(fixture.mtrs.counters.sum(Counter.LEAF_SPLITS)).isZero();
        assertThat(fixture.mtrs.counters.sum(Counter.VERSIONS_DROPPED)).isEqualTo(25);
        ReadPosition p = new ReadPosition(fixture.pool);
        fixture.tree.search(key(0), 4, p);
        assertThat(LeafRecord.hasVersion(p.chunk(), p.record())).isFalse();
        fixture.tree.search(key(10), 4, p);
        assertThat(LeafRecord.txnId(p.chunk(), p.record())).isEqualTo(101);
    }

    @Test
    void givenAPageOfAnotherTree_whenRead_thenTheDamageIsNamed() {
        load(i -> i);
        ReadPosition p = new ReadPosition(fixture.pool);
        fixture.tree.search(key(77), 4, p);
        ByteBuffer chunk = p.chunk();
        PageMemory.putInt(chunk, p.page() + PageHeader.TREE_ID_OFFSET, 99);

        assertThatThrownBy(() -> writes.get(key(77)))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("tree=16")
                .hasMessageContaining("tree=99");
        fixture.tree.dropped();
        assertThatThrownBy(() -> writes.get(key(77))).isInstanceOf(TreeGoneException.class);

        PageMemory.putInt(chunk, p.page() + PageHeader.TREE_ID_OFFSET, TreeFixture.TREE_ID);
    }

    private void load(IntUnaryOperator keyOf) {
        for (int i = 0; i < ROWS; i++) {
            writes.put(key(keyOf.applyAsInt(i)), new byte[100]);
        }
    }

    /** The share of the leaves' room that records take. */
    private double fill() {
        LeafSnapshot leaf = new LeafSnapshot(fixture.tree);
        long used = 0;
        long leaves = 0;
        leaf.seekFirst();
        for (int slot = 0; slot != LeafSnapshot.NO_LEAF; slot = leaf.nextLeaf()) {
            used += NodeLayout.recordBytes(leaf.chunk(), 0, PAGE_BYTES);
            leaves++;
        }
        return (double) used / leaves / NodeLayout.capacity(PAGE_BYTES);
    }

    private static byte[] key(int i) {
        return new byte[] {(byte) (i >>> 24), (byte) (i >>> 16), (byte) (i >>> 8), (byte) i};
    }
}
