// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/** Frees empty leaves and merges neighbours, level by level from the leaf upwards (P17). */
final class TreeShrink {
    /*
     * One group a level: X of the parent, X of children in key order, each looked at under X, then
     * the map pages. A run of empty leaves goes at once: their range goes to the neighbour before
     * them under the same parent, else to the one behind, whose fences are rewritten. If that does
     * not fit, one empty leaf stays and takes the range of the others. Two neighbours that fit
     * together with an eighth to spare become one. A parent that gets sparse by that is looked at
     * next, in a group of its own; a root with one child takes the child's place.
     *
     * A freed page is held X in the group that removes its downlink, so its version rises: whoever
     * read the downlink before finds that the parent, or the page, has changed.
     */
    static final String FREE_LATCHED = "btree.free.latched";

    /** Empty leaves that one group frees. */
    private static final int RUN_MAX = 4;

    private static final int CHILDREN_MAX = RUN_MAX + 2;

    /** Children to be loaded under the parent's latch, and the map pages of those freed. */
    private static final int FRAMES = CHILDREN_MAX + CHILDREN_MAX - 1;

    private enum Outcome {
        NOTHING,
        AGAIN,
        PARENT_SPARSE
    }

    private final BufferPool pool;
    private final Space space;
    private final TreeDescent descent;
    private final TreeLatches latches;
    private final Counters counters;
    private final int pageBytes;

    TreeShrink(
            BufferPool pool,
            Space space,
            TreeDescent descent,
            TreeLatches latches,
            Counters counters) {
        this.pool = pool;
        this.space = space;
        this.descent = descent;
        this.latches = latches;
        this.counters = counters;
        this.pageBytes = pool.pageBytes();
    }

    /** See {@link BTree#mergeAt}. */
    void mergeAt(MiniTransaction m, WritePosition p, byte[] key, int keyLength, boolean reserved) {
        int level = 0;
        while (true) {
            Outcome outcome = mergeLevel(m, p, level, key, keyLength, reserved);
            if (outcome == Outcome.NOTHING) {
                return;
            }
            if (outcome == Outcome.PARENT_SPARSE) {
                level++;
            }
        }
    }

    /** Whether a page is worth looking at: less than a quarter full. */
    static boolean isSparse(ByteBuffer chunk, int page, int pageBytes) {
        return NodeLayout.recordBytes(chunk, page, pageBytes) < NodeLayout.capacity(pageBytes) / 4;
    }

    private Outcome mergeLevel(
            MiniTransaction m,
            WritePosition p,
            int level,
            byte[] key,
            int keyLength,
            boolean reserved) {
        NodeScratch scratch = p.scratch();
        int redoBytes =
                TreeWriter.buildBytesMax(pageBytes)
                        + (RUN_MAX + 2) * 4 * RedoWriter.RECORD_OVERHEAD_MAX;
        m.begin(redoBytes, FRAMES, reserved);
        try {
            Outcome outcome = Outcome.NOTHING;
            if (latches.fix(m, level + 1, key, keyLength, p)) {
                outcome = new Group(m, p.frame(), scratch).merge(p.pageId(), key, keyLength);
            }
            m.commit();
            return outcome;
        } catch (Throwable t) {
            throw m.failed(t);
        }
    }

    /** One group's work under a parent that is held exclusively. */
    private final class Group {
        private final MiniTransaction m;
        private final NodeScratch scratch;
        private final int parent;
        private final ByteBuffer parentChunk;
        private final int parentPage;

        /** Children from {@code first} on that are held. */
        private final int[] children = new int[CHILDREN_MAX];

        private int first;
        private int count;

        Group(MiniTransaction m, int parent, NodeScratch scratch) {
            this.m = m;
            this.parent = parent;
            this.scratch = scratch;
            parentChunk = pool.chunk(parent);
            parentPage = pool.offset(parent);
        }

        Outcome merge(long parentId, byte[] key, int keyLength) {
            int separators = NodeLayout.slotCount(parentChunk, parentPage);
            if (separators == 0) {
                return parentId == descent.rootPageId() ? collapse() : Outcome.PARENT_SPARSE;
            }
            int position = NodeSearch.child(parentChunk, parentPage, key, keyLength);
            first = Math.max(0, position - 1);
            fixNext();
            fixNext();
            if (isLeafLevel()) {
                while (count <= RUN_MAX && isEmpty(count - 1) && first + count <= separators) {
                    fixNext();
                }
            }
            boolean done = isLeafLevel() && freeEmpty();
            if (!done) {
                done = mergePair(0);
            }
            if (!done && position > 0 && position < separators) {
                if (count == 2) {
                    fixNext();
                }
                done = mergePair(1);
            }
            return done ? afterMerge(parentId) : Outcome.NOTHING;
        }

        private Outcome afterMerge(long parentId) {
            boolean isLastChild = NodeLayout.slotCount(parentChunk, parentPage) == 0;
            if (parentId == descent.rootPageId()) {
                return Outcome.AGAIN;
            }
            return isLastChild || isSparse(parentChunk, parentPage, pageBytes)
                    ? Outcome.PARENT_SPARSE
                    : Outcome.AGAIN;
        }

        private void fixNext() {
            children[count] = latches.fixChild(m, parent, first + count);
            count++;
        }

        private ByteBuffer chunk(int child) {
            return pool.chunk(children[child]);
        }

        private int page(int child) {
            return pool.offset(children[child]);
        }

        private boolean isEmpty(int child) {
            return NodeLayout.slotCount(chunk(child), page(child)) == 0;
        }

        private boolean isLeafLevel() {
            return NodeLayout.level(parentChunk, parentPage) == 1;
        }

        /** Frees the run of empty leaves behind the first child, or the first one itself. */
        private boolean freeEmpty() {
            int run = 0;
            while (run + 1 < count && isEmpty(run + 1)) {
                run++;
            }
            if (run > 0 && widen(0, 0, run)) {
                return true;
            }
            if (run > 0 && run + 1 < count && widen(run + 1, 1, run + 1)) {
                return true;
            }
            if (run > 1) {
                return widen(1, 1, run);
            }
            return run == 0 && isEmpty(0) && widen(1, 0, 1);
        }

        /** Gives the range of children {@code from} to {@code to} to one of the two. */
        private boolean widen(int survivor, int from, int to) {
            int bytes =
                    NodeSize.widenedBytesMax(
                            chunk(survivor),
                            page(survivor),
                            pageBytes,
                            chunk(from),
                            page(from),
                            chunk(to),
                            page(to));
            if (bytes > NodeLayout.capacity(pageBytes)) {
                return false;
            }
            fixMaps(from, to, survivor);
            NodeEdit.fences(scratch.body, chunk(from), page(from), chunk(to), page(to));
            TreeWriter.change(m, children[survivor], NodeChange.NODE_FENCES, scratch);
            unlink(from, to, survivor);
            counters.add(Counter.EMPTY_LEAVES_FREED, (long) to - from);
            return true;
        }

        private boolean mergePair(int left) {
            int right = left + 1;
            int bytes =
                    NodeSize.mergedBytesMax(
                            chunk(left), page(left), chunk(right), page(right), pageBytes);
            int capacity = NodeLayout.capacity(pageBytes);
            if (bytes > capacity - capacity / 8) {
                return false;
            }
            fixMaps(left, right, left);
            NodeEdit.merged(scratch.body, chunk(left), page(left), chunk(right), page(right));
            TreeWriter.change(m, children[left], NodeChange.NODE_BUILD, scratch);
            unlink(left, right, left);
            counters.increment(Counter.PAGE_MERGES);
            return true;
        }

        private void fixMaps(int from, int to, int survivor) {
            int[] freed = new int[to - from + 1];
            int next = 0;
            for (int i = from; i <= to; i++) {
                if (i != survivor) {
                    freed[next] = PageId.pageNumber(pool.pageId(children[i]));
                    next++;
                }
            }
            space.fixMaps(m, null, freed, next);
            TestHooks.reached(FREE_LATCHED);
        }

        /** Removes the separators between the children and frees all of them but one. */
        private void unlink(int from, int to, int survivor) {
            NodeEdit.innerRemove(scratch.body, first + from, to - from, survivor == to);
            TreeWriter.change(m, parent, NodeChange.INNER_REMOVE, scratch);
            for (int i = from; i <= to; i++) {
                if (i != survivor) {
                    space.free(m, children[i]);
                }
            }
        }

        /** The root's only child moves into the root. */
        private Outcome collapse() {
            fixNext();
            fixMaps(0, 0, -1);
            NodeEdit.copyOf(scratch.body, chunk(0), page(0));
            TreeWriter.change(m, parent, NodeChange.NODE_BUILD, scratch);
            space.free(m, children[0]);
            counters.increment(Counter.ROOT_COLLAPSES);
            return Outcome.NOTHING;
        }
    }
}
