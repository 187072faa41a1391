// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The way down while pages change under it (P1). If this failed, a reader that met a split would
 * look for its key in the page that no longer has it, and say that there is no such row.
 */
final class DescentTest {
    private static final int ROWS = 200;
    private static final byte[] VALUE = new byte[60];

    private TreeFixture fixture;
    private TreeWrites writes;

    @BeforeEach
    void makeATreeOfTwoLevels() {
        assumeTrue(TestHooks.ENABLED, "needs -Ddev.holdfast.testHooks=true");
        fixture = new TreeFixture(4096, 64);
        writes = fixture.writes();
        for (int i = 0; i < ROWS; i++) {
            writes.put(key(i, 0), VALUE);
        }
    }

    @AfterEach
    void closeIt() {
        TestHooks.reset();
        if (fixture != null) {
            fixture.close();
        }
    }

    @Test
    void givenASplitBetweenParentAndChild_whenTheReaderGoesOn_thenItFindsTheMovedRow()
            throws Exception {
        byte[] value = readAcrossASplit();

        assertThat(value).isEqualTo(VALUE);
        assertThat(fixture.mtrs.counters.sum(Counter.TREE_RESTARTS)).isPositive();
    }

    @Test
    void givenTheParentIsNotValidatedAgain_whenTheReaderGoesOn_thenTheRowIsMissed()
            throws Exception {
        TestHooks.plant(PlantedFault.CHILD_NOT_REVALIDATED);

        byte[] value = readAcrossASplit();

        assertThat(value).as("the fault shows").isNull();
    }

    @Test
    void givenAChangeAtEachStep_whenARowIsRead_thenTheLatchedWayDownEndsIt() {
        TestHooks.onReached(
                TreeDescent.CHILD_FOUND,
                () ->
                        fixture.pool.unfixExclusive(
                                fixture.pool.fixExclusive(fixture.tree.rootPageId())));

        byte[] value = fixture.writes().get(key(77, 0));

        assertThat(value).isEqualTo(VALUE);
        assertThat(fixture.mtrs.counters.sum(Counter.TREE_LATCHED_DESCENTS)).isPositive();
    }

    @Test
    void givenAChangeAtEachStep_whenARowIsWritten_thenTheParentsLatchEndsIt() {
        TestHooks.onReached(
                TreeDescent.CHILD_FOUND,
                () ->
                        fixture.pool.unfixExclusive(
                                fixture.pool.fixExclusive(fixture.tree.rootPageId())));

        writes.put(key(77, 1), VALUE);
        TestHooks.reset();

        assertThat(writes.get(key(77, 1))).isEqualTo(VALUE);
        assertThat(fixture.mtrs.counters.sum(Counter.TREE_LATCHED_DESCENTS)).isPositive();
        fixture.check();
    }

    /** A reader stops between parent and child; the child is split; the reader goes on. */
    private byte[] readAcrossASplit() throws Exception {
        // the last row of a leaf that has room for no more: it moves when the leaf is split
        byte[] wanted = lastOfAMiddleLeaf();
        long splits = fixture.mtrs.counters.sum(Counter.LEAF_SPLITS);
        TestHooks.Pause pause = TestHooks.pauseAt(TreeDescent.CHILD_FOUND);
        TreeWrites reader = fixture.writes();
        CompletableFuture<byte[]> read = CompletableFuture.supplyAsync(() -> reader.get(wanted));
        pause.awaitReached();
        int row = Integer.parseInt(new String(wanted, 0, 4, US_ASCII)) - 20;
        for (int i = 1; fixture.mtrs.counters.sum(Counter.LEAF_SPLITS) == splits; i++) {
            writes.put(key(row, i), VALUE);
        }
        pause.resume();
        return read.get(20, TimeUnit.SECONDS);
    }

    private byte[] lastOfAMiddleLeaf() {
        LeafSnapshot leaf = new LeafSnapshot(fixture.tree);
        leaf.seek(key(ROWS / 2, 0), 7);
        byte[] key = new byte[4096];
        return Arrays.copyOf(key, leaf.key(leaf.count() - 1, key));
    }

    private static byte[] key(int row, int part) {
        return String.format("%04d-%02d", row, part).getBytes(US_ASCII);
    }
}
