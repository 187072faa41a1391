// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Makes room for a record: by dropping settled versions, else by splits from the leaf upwards. */
final class TreeGrowth {
    /*
     * A split changes one level in one group: X of the parent, X of the page, the new page, the map
     * pages. If the parent has no room for the separator, nothing is changed; the parent is split
     * first, in a group of its own, and all begins again. So a crash between two groups leaves a
     * tree that is sound, and no group holds latches of more than two levels. A root is split into
     * two new children and stays where it is.
     *
     * Pages, frames, log bytes and the memory of the change are acquired before the first change.
     */
    static final String SPLIT_LATCHED = "btree.split.latched";

    /** Two new pages, a page to be loaded under its parent's latch, two map pages. */
    private static final int FRAMES = 5;

    private static final int NEW_PAGES_MAX = 2;

    private enum Outcome {
        HAS_ROOM,
        CHANGED,
        PARENT_FULL
    }

    /**
     * Who wants room, and where: in the page of a level for a record, or for a separator if room is
     * null.
     */
    private record Want(int level, byte[] key, int keyLength, RecordRoom room, boolean reserved) {}

    private final int treeId;
    private final BufferPool pool;
    private final Space space;
    private final TreeDescent descent;
    private final TreeLatches latches;
    private final Counters counters;
    private final int pageBytes;

    TreeGrowth(
            int treeId,
            BufferPool pool,
            Space space,
            TreeDescent descent,
            TreeLatches latches,
            Counters counters) {
        this.treeId = treeId;
        this.pool = pool;
        this.space = space;
        this.descent = descent;
        this.latches = latches;
        this.counters = counters;
        this.pageBytes = pool.pageBytes();
    }

    /** See {@link BTree#makeRoom}. */
    void makeRoom(
            MiniTransaction m,
            WritePosition p,
            byte[] key,
            int keyLength,
            RecordRoom room,
            SettledVersions settled,
            boolean reserved) {
        Want want = new Want(0, key, keyLength, room, reserved);
        if (!dropVersions(m, p, want, settled)) {
            growLevel(m, p, want);
        }
    }

    /** Returns whether there is room now. */
    private boolean dropVersions(
            MiniTransaction m, WritePosition p, Want want, SettledVersions settled) {
        NodeScratch scratch = p.scratch();
        m.begin(TreeWriter.buildBytesMax(pageBytes), 0, want.reserved);
        try {
            latches.fix(m, 0, want.key, want.keyLength, p);
            ByteBuffer chunk = p.chunk();
            int page = p.page();
            int missing = want.room.missing(chunk, page, want.key, want.keyLength);
            if (missing <= 0) {
                m.abandon();
                return true;
            }
            int won = NodeEdit.dropSettled(scratch.body, chunk, page, settled);
            // for a few bytes the leaf would be compacted again and again
            if (won < missing || won < pageBytes / 32) {
                m.abandon();
                return false;
            }
            TreeWriter.change(m, p.frame(), NodeChange.NODE_COMPACT, scratch);
            counters.add(Counter.VERSIONS_DROPPED, won / LeafRecord.VERSION_BYTES);
            m.commit();
            return true;
        } catch (Throwable t) {
            throw m.failed(t);
        }
    }

    private void growLevel(MiniTransaction m, WritePosition p, Want want) {
        Outcome outcome = Outcome.CHANGED;
        while (outcome != Outcome.HAS_ROOM) {
            outcome = split(m, p, want);
            if (outcome == Outcome.PARENT_FULL) {
                SplitPoint point = p.splitPoint();
                int length = point.separatorLength();
                byte[] separator = Arrays.copyOf(point.separator(), length);
                growLevel(m, p, new Want(want.level + 1, separator, length, null, want.reserved));
            }
        }
    }

    private Outcome split(MiniTransaction m, WritePosition p, Want want) {
        p.scratch();
        p.splitPoint();
        int near = PageId.pageNumber(pageNear(want, p.read));
        try (PageReservation pages = space.reserve(NEW_PAGES_MAX, near, want.reserved)) {
            m.begin(
                    NEW_PAGES_MAX * TreeWriter.buildBytesMax(pageBytes) + pageBytes,
                    FRAMES,
                    want.reserved);
            try {
                Outcome outcome =
                        latches.fix(m, want.level + 1, want.key, want.keyLength, p)
                                ? splitChild(m, p, want, pages)
                                : splitRoot(m, p, want, pages);
                m.commit();
                return outcome;
            } catch (Throwable t) {
                throw m.failed(t);
            }
        }
    }

    /** Brings the page that will be split into the pool, too, so that it is there under latches. */
    private long pageNear(Want want, ReadPosition read) {
        descent.to(want.level, TreeDescent.FOR_KEY, want.key, want.keyLength, read);
        read.release();
        read.settled();
        return read.pageId();
    }

    /**
     * The position is the latched parent's: the page keeps its left half, a new one gets the rest.
     */
    private Outcome splitChild(
            MiniTransaction m, WritePosition p, Want want, PageReservation pages) {
        int parent = p.frame();
        ByteBuffer parentChunk = p.chunk();
        int parentPage = p.page();
        int position = NodeSearch.child(parentChunk, parentPage, want.key, want.keyLength);
        int left = latches.fixChild(m, parent, position);
        SplitPoint point = p.splitPoint();
        if (!choose(left, want, point)) {
            return Outcome.HAS_ROOM;
        }
        int length = point.separatorLength();
        int prefix = NodeLayout.prefixLength(parentChunk, parentPage);
        if (!NodeSize.fitsInsert(parentChunk, parentPage, InnerRecord.bytes(length - prefix))) {
            return Outcome.PARENT_FULL;
        }
        pages.fixMaps(m);
        TestHooks.reached(SPLIT_LATCHED);

        NodeScratch scratch = p.scratch();
        ByteBuffer chunk = pool.chunk(left);
        byte[] separator = point.separator();
        NodeEdit.rightHalf(scratch.body, chunk, pool.offset(left), point.keep(), separator, length);
        int right = newPage(m, scratch, want, pages);
        NodeEdit.cut(scratch.body, point.keep(), separator, length);
        TreeWriter.change(m, left, NodeChange.NODE_CUT, scratch);
        NodeEdit.innerInsert(scratch.body, position, right, separator, prefix, length);
        TreeWriter.change(m, parent, NodeChange.INNER_INSERT, scratch);
        countSplit(want);
        return Outcome.CHANGED;
    }

    /** There is no such parent: both halves go to new pages, and the root becomes their parent. */
    private Outcome splitRoot(
            MiniTransaction m, WritePosition p, Want want, PageReservation pages) {
        if (!latches.fix(m, want.level, want.key, want.keyLength, p)) {
            return Outcome.HAS_ROOM; // the level is gone: who wanted room in it looks again
        }
        if (p.pageId() != descent.rootPageId()) {
            return Outcome.CHANGED; // the tree has grown meanwhile
        }
        int root = p.frame();
        SplitPoint point = p.splitPoint();
        if (!choose(root, want, point)) {
            return Outcome.HAS_ROOM;
        }
        pages.fixMaps(m);
        TestHooks.reached(SPLIT_LATCHED);

        NodeScratch scratch = p.scratch();
        ByteBuffer chunk = p.chunk();
        int page = p.page();
        byte[] separator = point.separator();
        int length = point.separatorLength();
        NodeEdit.leftHalf(scratch.body, chunk, page, point.keep(), separator, length);
        int left = newPage(m, scratch, want, pages);
        NodeEdit.rightHalf(scratch.body, chunk, page, point.keep(), separator, length);
        int right = newPage(m, scratch, want, pages);
        NodeEdit.root(scratch.body, want.level + 1, left, right, separator, length);
        TreeWriter.change(m, root, NodeChange.NODE_BUILD, scratch);
        countSplit(want);
        counters.increment(Counter.ROOT_SPLITS);
        return Outcome.CHANGED;
    }

    /** Returns false if the page has room. */
    private boolean choose(int frame, Want want, SplitPoint point) {
        ByteBuffer chunk = pool.chunk(frame);
        int page = pool.offset(frame);
        int suffix = want.keyLength - NodeLayout.prefixLength(chunk, page);
        if (want.level == 0) {
            if (want.room.missing(chunk, page, want.key, want.keyLength) <= 0) {
                return false;
            }
            point.chooseLeaf(chunk, page, want.key, want.keyLength, want.room.bytes(suffix));
            return true;
        }
        int bytes = InnerRecord.bytes(suffix);
        if (NodeSize.fitsInsert(chunk, page, bytes)) {
            return false;
        }
        point.chooseInner(chunk, page, want.key, want.keyLength, bytes);
        return true;
    }

    /** Makes a page of what is in the scratch, and returns its number. */
    private int newPage(MiniTransaction m, NodeScratch scratch, Want want, PageReservation pages) {
        byte type = want.level == 0 ? PageType.LEAF : PageType.INNER;
        int frame = space.allocate(m, pages, treeId, type);
        TreeWriter.change(m, frame, NodeChange.NODE_BUILD, scratch);
        return PageId.pageNumber(pool.pageId(frame));
    }

    private void countSplit(Want want) {
        counters.increment(want.level == 0 ? Counter.LEAF_SPLITS : Counter.INNER_SPLITS);
    }
}
