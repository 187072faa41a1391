// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.mtr.PageDigest;
import dev.holdfast.core.mtr.RedoApply;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.CheckpointRecord;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoReader;
import dev.holdfast.core.redo.RedoScanner;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The pages of a tree made again from its redo alone. If this failed, recovery would make another
 * tree than the one that was there.
 */
@ExtendWith(SeedExtension.class)
final class TreeRedoTest {
    private static final int PAGE_BYTES = 4096;
    private static final int STEPS = 3_000;

    private final TreeRedo treeRedo = new TreeRedo(PAGE_BYTES);
    private final RedoApply otherRedo = new RedoApply(PageDigest.BODY);
    private final Map<Long, ByteBuffer> pages = new HashMap<>();

    @AfterEach
    void forgetFaults() {
        TestHooks.reset();
    }

    @Test
    void givenATypeThatNoChangeHas_whenReplayed_thenItIsDamageAndNamesThePage() {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);

        assertThatThrownBy(
                        () ->
                                treeRedo.apply(
                                        RedoType.TREE_LAST,
                                        PageId.of(16, 5),
                                        page,
                                        0,
                                        PAGE_BYTES,
                                        new byte[4],
                                        0,
                                        4,
                                        100))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("space=16, page=5")
                .hasMessageContaining("type=63");
    }

    @Test
    void givenATreeThatGrewAndShrank_whenItsRedoIsReplayed_thenThePagesAreTheSame(
            SeededRandom random) throws Exception {
        try (TreeFixture fixture = new TreeFixture(PAGE_BYTES, 512)) {
            change(fixture, random);
            replay(fixture);

            int[] compared = {0};
            new TreeCheck(
                            fixture.tree,
                            (id, invariant, what, expected, found) -> {
                                throw new AssertionError(what);
                            },
                            id -> {
                                assertSame(fixture, id);
                                compared[0]++;
                            })
                    .run();
            assertThat(compared[0]).isGreaterThan(20);
            assertThat(fixture.mtrs.counters.sum(Counter.LEAF_SPLITS)).isPositive();
            assertThat(fixture.mtrs.counters.sum(Counter.PAGE_MERGES)).isPositive();
            assertThat(fixture.mtrs.counters.sum(Counter.VERSIONS_DROPPED)).isPositive();
        }
    }

    @Test
    void givenARedoFunctionThatIsOffByOne_whenReplayed_thenTheSelfCheckNamesThePage(
            SeededRandom random) throws Exception {
        Assumptions.assumeTrue(TestHooks.ENABLED, "needs -Ddev.holdfast.testHooks=true");
        try (TreeFixture fixture = new TreeFixture(PAGE_BYTES, 512)) {
            change(fixture, random);
            TestHooks.plant(PlantedFault.REDO_OFF_BY_ONE);

            assertThatThrownBy(() -> replay(fixture))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("page=");
        }
    }

    private static void change(TreeFixture fixture, SeededRandom random) {
        TreeWrites writes = fixture.writes().settled(txnId -> txnId < 50);
        for (int step = 0; step < STEPS; step++) {
            byte[] key = {(byte) random.nextInt(40), (byte) random.nextInt(40)};
            int dice = random.nextInt(10);
            if (dice < (step < STEPS / 2 ? 1 : 6)) {
                writes.remove(key);
            } else if (dice < 8) {
                int flags = random.nextBoolean() ? LeafRecord.HAS_VERSION : 0;
                byte[] value = random.bytes(random.nextInt(300));
                writes.put(key, flags, random.nextInt(100), random.nextLong(), value);
            } else {
                int flags = LeafRecord.HAS_VERSION | LeafRecord.DELETED;
                writes.mark(key, flags, random.nextInt(100), random.nextLong());
            }
        }
    }

    private void replay(TreeFixture fixture) throws IOException {
        fixture.mtrs.log.makeDurable(fixture.mtrs.log.appendLsn());
        UUID id = new UUID(1, 2);
        CheckpointRecord start =
                CheckpointRecord.first(1, 1, 1, PAGE_BYTES, RedoLayout.ofCapacity(8 << 20));
        RedoReader reader = new RedoReader();
        try (RedoScanner scanner = new RedoScanner(fixture.mtrs.directory, id, start)) {
            scanner.scan(
                    (startLsn, endLsn, bytes, offset, length) -> {
                        reader.reset(startLsn, bytes, offset, length);
                        while (reader.next()) {
                            apply(reader, endLsn);
                        }
                    });
        }
    }

    /** Pages that were on disk before the log began, maps and space header, are left out. */
    private void apply(RedoReader reader, long endLsn) {
        if (!RedoType.namesPage(reader.type())) {
            return;
        }
        if (reader.type() == RedoType.PAGE_INIT) {
            pages.computeIfAbsent(reader.pageId(), id -> ByteBuffer.allocateDirect(PAGE_BYTES));
        }
        ByteBuffer page = pages.get(reader.pageId());
        if (page == null) {
            return;
        }
        boolean isTree = reader.type() >= RedoType.TREE_FIRST;
        (isTree ? treeRedo : otherRedo)
                .apply(
                        reader.type(),
                        reader.pageId(),
                        page,
                        0,
                        PAGE_BYTES,
                        reader.bytes(),
                        reader.bodyOffset(),
                        reader.bodyLength(),
                        endLsn);
    }

    private void assertSame(TreeFixture fixture, long pageId) {
        int frame = fixture.pool.fixShared(pageId);
        int body = PageHeader.BODY_OFFSET;
        ByteBuffer inPool =
                fixture.pool
                        .chunk(frame)
                        .slice(fixture.pool.offset(frame) + body, PAGE_BYTES - body - 8);
        ByteBuffer replayed = pages.get(pageId).slice(body, PAGE_BYTES - body - 8);
        assertThat(inPool.mismatch(replayed)).as(PageId.describe(pageId)).isEqualTo(-1);
        fixture.pool.unfixShared(frame);
    }
}
