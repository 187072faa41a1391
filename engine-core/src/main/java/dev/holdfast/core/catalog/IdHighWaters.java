// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.core.space.StoreFiles;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The highest tree and space ids given out so far. Ids are never used twice (P19): each group that
 * names a new one logs it, and each checkpoint record repeats these numbers.
 */
public final class IdHighWaters {
    /** The tree of the catalog itself. */
    public static final int CATALOG_TREE = 1;

    /** The first id of a table. */
    public static final int USER_TREE_MIN = 16;

    /** Above are the marks of allocation maps. */
    private static final int ID_MAX = 0xFFFF_FFF0;

    private final AtomicInteger treeId;
    private final AtomicInteger spaceId;

    /** As recovery found them; zero for a new store. */
    public IdHighWaters(int treeId, int spaceId) {
        this.treeId = new AtomicInteger(max(treeId, USER_TREE_MIN - 1));
        this.spaceId = new AtomicInteger(max(spaceId, StoreFiles.OWN_SPACE_MIN - 1));
    }

    /** The highest tree id given out. Read after the checkpoint's LSN was taken. */
    public int treeId() {
        return treeId.get();
    }

    /** The highest space id given out. Read after the checkpoint's LSN was taken. */
    public int spaceId() {
        return spaceId.get();
    }

    int nextTreeId() {
        return next(treeId, "tree");
    }

    int nextSpaceId() {
        return next(spaceId, "space");
    }

    /** Takes note of ids that are in use. */
    void seen(int usedTreeId, int usedSpaceId) {
        treeId.accumulateAndGet(usedTreeId, IdHighWaters::max);
        spaceId.accumulateAndGet(usedSpaceId, IdHighWaters::max);
    }

    private static int next(AtomicInteger counter, String kind) {
        int next = counter.incrementAndGet();
        if (Integer.compareUnsigned(next, ID_MAX) > 0) {
            counter.decrementAndGet();
            throw new IllegalStateException("ids are used up: kind=" + kind);
        }
        return next;
    }

    private static int max(int left, int right) {
        return Integer.compareUnsigned(left, right) >= 0 ? left : right;
    }
}
