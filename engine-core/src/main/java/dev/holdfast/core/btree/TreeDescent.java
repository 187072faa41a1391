// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/** The way from the root of one tree down to a level: by versions, else by shared latches (P1). */
final class TreeDescent {
    /*
     * One step: copy the child's number from the parent, find its frame, read the child's version,
     * check the frame line, validate the parent. If the parent is unchanged at that moment, its
     * downlink was true at that moment, and the frame held the child; whatever happens to the child
     * later changes its version. Without that second validation the child could have been merged
     * away, and its page be part of another tree, between the two reads.
     *
     * Tree id and level are checked in each page. They can only be wrong in a validated page if the
     * store is damaged, or the tree was dropped meanwhile.
     *
     * A read of torn bytes stays inside the chunk by its bounds checks; IndexOutOfBoundsException
     * before a validation is a restart like any other. The same exception under a latch is damage.
     */

    /** Which child of an inner page to take. */
    static final int FOR_KEY = 0;

    /** The child with the greatest keys below the key. */
    static final int BELOW_KEY = 1;

    static final int LAST = 2;

    /** After so many restarts the way down is latched. */
    static final int RESTARTS_MAX = 8;

    static final String CHILD_FOUND = "btree.descent.childFound";

    private final int treeId;
    private final long rootPageId;
    private final BufferPool pool;
    private final Counters counters;

    /** Set once, when the tree is dropped; its pages may then be anybody's. */
    private volatile boolean gone;

    TreeDescent(int treeId, long rootPageId, BufferPool pool, Counters counters) {
        this.treeId = treeId;
        this.rootPageId = rootPageId;
        this.pool = pool;
        this.counters = counters;
    }

    long rootPageId() {
        return rootPageId;
    }

    void gone() {
        gone = true;
    }

    /**
     * Goes down to the level, or to the root if that is lower already.
     *
     * <p><b>Latches:</b> none held on entry; on return the position may hold the page shared.
     */
    void to(int level, int which, byte[] key, int keyLength, ReadPosition p) {
        p.searchBegins();
        while (p.unvalidated() <= RESTARTS_MAX) {
            try {
                if (tryOptimistic(level, which, key, keyLength, p)) {
                    return;
                }
            } catch (IndexOutOfBoundsException torn) {
                // bytes of several moments: as good as a validation that failed
            }
            countRestart();
            p.restartCounted();
        }
        latchedByWish(level, which, key, keyLength, p);
    }

    /** {@link #latched}, counted, for whom versions have failed too often. */
    void latchedByWish(int level, int which, byte[] key, int keyLength, ReadPosition p) {
        counters.increment(Counter.TREE_LATCHED_DESCENTS);
        latched(level, which, key, keyLength, p);
    }

    void countRestart() {
        counters.increment(Counter.TREE_RESTARTS);
        CoreSites.PAGE.counters().countOptimisticRestart();
    }

    private boolean tryOptimistic(
            int targetLevel, int which, byte[] key, int keyLength, ReadPosition p) {
        long pageId = rootPageId;
        int frame = pool.find(pageId);
        if (frame < 0) {
            frame = pool.load(pageId, false, p.tally());
        }
        long version = pool.optimisticVersion(frame, pageId);
        if (!pool.holds(frame, pageId)) {
            return false;
        }
        int level = -1;
        while (true) {
            ByteBuffer chunk = pool.chunk(frame);
            int page = pool.offset(frame);
            int found = NodeLayout.level(chunk, page);
            if (NodeLayout.treeId(chunk, page) != treeId || (level >= 0 && found != level)) {
                if (pool.validate(frame, version)) {
                    throw wrongPage(pageId, level, chunk, page);
                }
                return false;
            }
            level = found;
            pool.touch(frame);
            p.tally().increment(Counter.PAGE_FIXES);
            if (level <= targetLevel) {
                p.at(frame, version, pageId, level);
                return true;
            }
            int position = position(which, chunk, page, key, keyLength);
            long childId =
                    PageId.of(
                            PageId.spaceId(rootPageId), InnerRecord.childAt(chunk, page, position));
            int child = pool.find(childId);
            if (level == 1 && p.looksAhead() && !looksAhead(p, frame, version, position)) {
                return false;
            }
            if (child < 0) {
                if (!pool.validate(frame, version)) {
                    return false;
                }
                child = loadChild(childId, level, p);
            }
            TestHooks.reached(CHILD_FOUND);
            long childVersion = pool.optimisticVersion(child, childId);
            if (!pool.holds(child, childId)) {
                return false;
            }
            if (!pool.validate(frame, version)
                    && !TestHooks.fault(PlantedFault.CHILD_NOT_REVALIDATED)) {
                return false;
            }
            frame = child;
            version = childVersion;
            pageId = childId;
            level--;
        }
    }

    /**
     * Asks for the leaves behind the one that the position is about to go to; before its thread
     * waits for that one.
     *
     * @return whether the parent was unchanged
     */
    private boolean looksAhead(ReadPosition p, int frame, long version, int position) {
        p.ahead().copy(pool.chunk(frame), pool.offset(frame), position, p.aheadBound());
        if (!pool.validate(frame, version)) {
            return false;
        }
        p.ahead().ask(PageId.spaceId(rootPageId));
        p.looksAhead(null, null);
        return true;
    }

    private int loadChild(long childId, int parentLevel, ReadPosition p) {
        if (parentLevel > 1) {
            return pool.load(childId, false, p.tally());
        }
        p.leafMissed();
        return pool.load(childId, p.isCold(), p.tally());
    }

    private static int position(int which, ByteBuffer chunk, int page, byte[] key, int keyLength) {
        if (which == FOR_KEY) {
            return NodeSearch.child(chunk, page, key, keyLength);
        }
        return which == BELOW_KEY
                ? NodeSearch.childBelow(chunk, page, key, keyLength)
                : NodeLayout.slotCount(chunk, page);
    }

    /**
     * Goes down by shared latches, each child's taken before its parent's is given up.
     *
     * <p><b>Latches:</b> none held on entry; the position holds the page shared on return.
     */
    void latched(int level, int which, byte[] key, int keyLength, ReadPosition p) {
        long missing = tryLatched(level, which, key, keyLength, p);
        while (missing != PageId.NONE) {
            pool.load(missing, false, p.tally());
            missing = tryLatched(level, which, key, keyLength, p);
        }
    }

    /**
     * One way down. Nobody waits for a frame with a latch held (P9), nor with frames promised to
     * him already; so a page that is missing ends the attempt and is loaded in between.
     *
     * @return the page that was missing, or NONE
     */
    private long tryLatched(int targetLevel, int which, byte[] key, int keyLength, ReadPosition p) {
        long pageId = rootPageId;
        int frame = pool.fixShared(pageId, p.tally());
        int level = -1;
        while (true) {
            int child;
            long childId;
            try {
                ByteBuffer chunk = pool.chunk(frame);
                int page = pool.offset(frame);
                int found = NodeLayout.level(chunk, page);
                if (NodeLayout.treeId(chunk, page) != treeId || (level >= 0 && found != level)) {
                    throw wrongPage(pageId, level, chunk, page);
                }
                level = found;
                if (level <= targetLevel) {
                    p.latched(frame, pageId, level);
                    return PageId.NONE;
                }
                int position = position(which, chunk, page, key, keyLength);
                childId =
                        PageId.of(
                                PageId.spaceId(rootPageId),
                                InnerRecord.childAt(chunk, page, position));
                child = latchChild(childId);
            } catch (IndexOutOfBoundsException e) {
                pool.unfixShared(frame);
                throw TreeCorruption.unreadable(pageId, e);
            } catch (RuntimeException | Error e) {
                pool.unfixShared(frame);
                throw e;
            }
            pool.unfixShared(frame);
            if (child < 0) {
                return childId;
            }
            frame = child;
            pageId = childId;
            level--;
        }
    }

    /** Its frame, or -1 if it is not in the pool. */
    private int latchChild(long childId) {
        int frame = pool.find(childId);
        while (frame >= 0 && !pool.tryLatchShared(frame, childId, pool.tally())) {
            frame = pool.find(childId);
        }
        return frame;
    }

    /** Whether the page is a node of this tree and level. */
    boolean isNode(ByteBuffer chunk, int page, int level) {
        return NodeLayout.treeId(chunk, page) == treeId && NodeLayout.level(chunk, page) == level;
    }

    /** What to throw for a page that is not where the tree says; its bytes are of one moment. */
    RuntimeException wrongPage(long pageId, int level, ByteBuffer chunk, int page) {
        if (gone) {
            return new TreeGoneException(treeId);
        }
        return TreeCorruption.of(
                pageId,
                "tree=" + treeId + (level < 0 ? "" : ", level=" + level),
                "tree="
                        + NodeLayout.treeId(chunk, page)
                        + ", level="
                        + NodeLayout.level(chunk, page)
                        + ", type="
                        + NodeLayout.pageType(chunk, page));
    }
}
