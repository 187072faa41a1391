// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrFixture;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.CondemnedPages;
import dev.holdfast.core.space.GrowthAgent;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** A tree over a small pool and a space in memory, with the agents that it needs. */
final class TreeFixture implements AutoCloseable {
    static final int TREE_ID = 16;
    private static final int SPACE_ID = 1;
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(20);

    final MtrFixture mtrs;
    final BufferPool pool;
    final Spaces spaces;
    final Space space;
    final BTree tree;
    final OverflowStore overflow;
    private final BackgroundAgent growth;
    private final BackgroundAgent condemned;

    TreeFixture(int pageBytes, int frames) {
        StorageDirectory directory = MemoryDirectory.create();
        StoreIdentity identity = StoreIdentity.create(new UUID(1, 2), pageBytes);
        SpaceFiles files = new SpaceFiles(directory, identity, PageChecksums.CRC32C);
        mtrs = new MtrFixture(pageBytes, frames, files, directory);
        pool = mtrs.pool;
        spaces = new Spaces(files, pool, new OperationEpochs(), mtrs.health, mtrs.counters);
        OverflowFreer freer = new OverflowFreer(pool, mtrs.mtr(), mtrs.counters);
        growth = agent("growth", new GrowthAgent(spaces, mtrs.mtr()));
        condemned = agent("condemned", new CondemnedPages(spaces, mtrs.mtr(), freer));
        spaces.wakers(growth::wake, condemned::wake);
        growth.start();
        condemned.start();
        try {
            space = spaces.create(SPACE_ID);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        tree = create();
        overflow = new OverflowStore(pool, mtrs.counters);
    }

    private BackgroundAgent agent(String name, BackgroundAgent.Body body) {
        return new BackgroundAgent(
                "test-" + name, mtrs.health, TimeUnit.MILLISECONDS.toNanos(20), body);
    }

    private BTree create() {
        MiniTransaction m = mtrs.mtr();
        try (PageReservation pages = space.reserve(1, PageId.NULL_PAGE_NUMBER, false)) {
            int root = pages.pageNumber(0);
            m.begin(BTree.createRedoBytesMax() + 64, 2, false);
            try {
                pages.fixMaps(m);
                BTree.create(m, space, pages, TREE_ID, new WritePosition(pool));
                m.commit();
            } catch (Throwable t) {
                throw m.failed(t);
            }
            return new BTree(TREE_ID, root, space, pool, mtrs.counters);
        }
    }

    /** A writer for the calling thread. */
    TreeWrites writes() {
        return new TreeWrites(this);
    }

    /** Walks the tree and the allocation maps: each page is owned exactly once. */
    TreeCheck check() {
        List<String> found = new ArrayList<>();
        Set<Integer> owned = new TreeSet<>();
        TreeCheck check =
                new TreeCheck(
                        tree,
                        (id, invariant, what, expected, actual) ->
                                found.add(
                                        PageId.describe(id)
                                                + " "
                                                + invariant
                                                + " "
                                                + what
                                                + ": expected="
                                                + expected
                                                + ", found="
                                                + actual),
                        id -> {
                            if (!owned.add(PageId.pageNumber(id))) {
                                found.add("owned twice: " + PageId.describe(id));
                            }
                        });
        check.run();
        assertThat(found).isEmpty();
        Set<Integer> allocated = new TreeSet<>();
        new SpaceCheck(space)
                .visitEntries(
                        (page, state, owner) -> {
                            if (state == AllocationMap.USED && owner == TREE_ID) {
                                allocated.add(page);
                            }
                        });
        assertThat(owned).isEqualTo(allocated);
        return check;
    }

    /**
     * Goes from a leaf to the one before it, as a cursor that goes down does.
     *
     * @return the slot to begin with, or {@link LeafSnapshot#NO_LEAF} if this one is the first
     */
    static int previousLeaf(LeafSnapshot leaf) {
        byte[] fence = new byte[leaf.chunk().capacity()];
        int length = leaf.lowerFence(fence);
        return length < 0 ? LeafSnapshot.NO_LEAF : leaf.seekBelow(fence, length);
    }

    @Override
    public void close() {
        condemned.stop(STOP_NANOS);
        growth.stop(STOP_NANOS);
        mtrs.close();
    }
}
