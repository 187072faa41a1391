// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.Counter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Where the range of freed leaves goes (P17). If this failed, a range of keys would belong to no
 * leaf, or a tree that was emptied would keep its pages.
 */
final class TreeShrinkTest {
    private static final int ROWS = 800;
    private static final byte[] VALUE = new byte[60];

    private final TreeFixture fixture = new TreeFixture(4096, 128);
    private final TreeWrites writes = fixture.writes();

    @AfterEach
    void checkAndClose() {
        fixture.check();
        fixture.close();
    }

    @Test
    void givenARunOfEmptyLeaves_whenMerged_thenTheyGoAtOnceAndTheirRangeIsServed() {
        fill();
        List<Integer> firsts = firstRowsOfLeaves();
        int from = firsts.get(4);
        int to = firsts.get(8);
        removeUnmerged(from, to);
        long leaves = fixture.check().leaves();

        mergeAt(from);

        assertThat(fixture.mtrs.counters.sum(Counter.EMPTY_LEAVES_FREED)).isEqualTo(4);
        assertThat(fixture.check().leaves()).isEqualTo(leaves - 4);
        assertThat(writes.get(key(from))).isNull();
        writes.put(key(from), VALUE);
        assertThat(writes.get(key(from))).isEqualTo(VALUE);
    }

    @Test
    void givenTheFirstLeavesAreEmpty_whenMerged_thenTheLeafBehindTakesTheirRange() {
        fill();
        int to = firstRowsOfLeaves().get(3);
        removeUnmerged(0, to);

        mergeAt(0);

        assertThat(firstRowsOfLeaves().get(0)).isEqualTo(to);
        writes.put(key(0), VALUE);
        assertThat(firstRowsOfLeaves().get(0)).isZero();
    }

    @Test
    void givenTheLastLeavesAreEmpty_whenMerged_thenTheLeafBeforeTakesTheirRange() {
        fill();
        List<Integer> firsts = firstRowsOfLeaves();
        int from = firsts.get(firsts.size() - 3);
        removeUnmerged(from, ROWS);
        long leaves = fixture.check().leaves();

        mergeAt(ROWS);

        assertThat(fixture.check().leaves()).isEqualTo(leaves - 3);
        writes.put(key(ROWS), VALUE);
        assertThat(writes.get(key(ROWS))).isEqualTo(VALUE);
    }

    @Test
    void givenAllLeavesAreEmpty_whenMerged_thenTheRootIsALeafAgain() {
        fill();
        removeUnmerged(0, ROWS);

        for (int i = 0; i < 40; i++) {
            mergeAt(i * ROWS / 40);
        }

        assertThat(fixture.check().leaves()).isEqualTo(1);
        assertThat(fixture.mtrs.counters.sum(Counter.ROOT_COLLAPSES)).isPositive();
        fill();
        assertThat(firstRowsOfLeaves()).hasSizeGreaterThan(8);
    }

    @Test
    void givenAnEmptiedTree_whenItGrowsAgainAndAgain_thenItsPagesAreUsedAgain() {
        for (int round = 0; round < 6; round++) {
            fill();
            for (int i = 0; i < ROWS; i++) {
                assertThat(writes.remove(key(i))).isTrue();
            }
            assertThat(fixture.check().leaves()).isLessThanOrEqualTo(2);
        }

        assertThat(fixture.space.pageCount()).isLessThanOrEqualTo(1024);
    }

    private void fill() {
        for (int i = 0; i < ROWS; i++) {
            writes.put(key(i), VALUE);
        }
    }

    private void removeUnmerged(int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] key = key(i);
            writes.m.begin(BTree.redoBytesMax(key.length, 0), 0, false);
            try {
                fixture.tree.fixLeafForWrite(writes.m, key, key.length, writes.p);
                fixture.tree.remove(writes.m, writes.p);
                writes.m.commit();
            } catch (Throwable t) {
                throw writes.m.failed(t);
            }
        }
    }

    private void mergeAt(int row) {
        byte[] key = key(row);
        fixture.tree.mergeAt(writes.m, writes.p, key, key.length, true);
    }

    private List<Integer> firstRowsOfLeaves() {
        List<Integer> rows = new ArrayList<>();
        LeafSnapshot leaf = new LeafSnapshot(fixture.tree);
        byte[] key = new byte[4096];
        leaf.seekFirst();
        for (int slot = 0; slot != LeafSnapshot.NO_LEAF; slot = leaf.nextLeaf()) {
            if (leaf.count() > 0) {
                int length = leaf.key(slot, key);
                rows.add(Integer.parseInt(new String(key, 0, length, US_ASCII)));
            }
        }
        return rows;
    }

    private static byte[] key(int row) {
        return String.format("%06d", row).getBytes(US_ASCII);
    }
}
