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
        if (!dropVersions(m, p, key, keyLength, room, settled, reserved)) {
            growLevel(m, p, 0, key, keyLength, room, reserved);
        }
    }

    /** Returns whether there is room now. */
    private boolean dropVersions(
            MiniTransaction m,
            WritePosition p,
            byte[] key,
            int keyLength,
            RecordRoom room,
            SettledVersions settled,
            boolean reserved) {
        NodeScratch scratch = p.scratch();
        m.begin(TreeWriter.buildBytesMax(pageBytes), 0, reserved);
        try {
            latches.fix(m, 0, key, keyLength, p);
            ByteBuffer chunk = p.chunk();
            int page = p.page();
            int missing = room.missing(chunk, page, key, keyLength);
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

    /** Makes room in the page of a level for a record, or for a separator if room is null. */
    private void growLevel(
            MiniTransaction m,
            WritePosition p,
            int level,
            byte[] key,
            int keyLength,
            RecordRoom room,
            boolean reserved) {
        Outcome outcome = Outcome.CHANGED;
        while (outcome != Outcome.HAS_ROOM) {
            outcome = split(m, p, level, key, keyLength, room, reserved);
            if (outcome == Outcome.PARENT_FULL) {
                SplitPoint point = p.splitPoint();
                int length = point.separatorLength();
                byte[] separator = Arrays.copyOf(point.separator(), length);
                growLevel(m, p, level + 1, separator, length, null, reserved);
            }
        }
    }

    private Outcome split(
            MiniTransaction m,
            WritePosition p,
            int level,
            byte[] key,
            int keyLength,
            RecordRoom room,
            boolean reserved) {
        p.scratch();
        p.splitPoint();
        int near = PageId.pageNumber(pageNear(level, key, keyLength, p.read));
        try (PageReservation pages = space.reserve(NEW_PAGES_MAX, near, reserved)) {
            m.begin(
                    NEW_PAGES_MAX * TreeWriter.buildBytesMax(pageBytes) + pageBytes,
                    FRAMES,
                    reserved);
            try {
                Outcome outcome =
                        latches.fix(m, level + 1, key, keyLength, p)
                                ? splitChild(m, p, level, key, keyLength, room, pages)
                                : splitRoot(m, p, level, key, keyLength, room, pages);
                m.commit();
                return outcome;
            } catch (Throwable t) {
                throw m.failed(t);
            }
        }
    }

    /** Brings the page that will be split into the pool, too, so that it is there under latches. */
    private long pageNear(int level, byte[] key, int keyLength, ReadPosition read) {
        descent.to(level, TreeDescent.FOR_KEY, key, keyLength, read);
        read.release();
        read.settled();
        return read.pageId();
    }

    private Outcome splitChild(
            MiniTransaction m,
            WritePosition p,
            int level,
            byte[] key,
            int keyLength,
            RecordRoom room,
            PageReservation pages) {
        int parent = p.frame();
        ByteBuffer parentChunk = p.chunk();
        int parentPage = p.page();
        int position = NodeSearch.child(parentChunk, parentPage, key, keyLength);
        int left = latches.fixChild(m, parent, position);
        ByteBuffer chunk = pool.chunk(left);
        int page = pool.offset(left);
        if (!choose(chunk, page, level, key, keyLength, room, p.splitPoint())) {
            return Outcome.HAS_ROOM;
        }
        SplitPoint point = p.splitPoint();
        int prefix = NodeLayout.prefixLength(parentChunk, parentPage);
        int separatorBytes = InnerRecord.bytes(point.separatorLength() - prefix);
        if (!NodeSize.fitsInsert(parentChunk, parentPage, separatorBytes)) {
            return Outcome.PARENT_FULL;
        }
        pages.fixMaps(m);
        TestHooks.reached(SPLIT_LATCHED);

        byte[] separator = point.separator();
        int length = point.separatorLength();
        NodeScratch scratch = p.scratch();
        int right = space.allocate(m, pages, treeId, pageType(level));
        NodeEdit.rightHalf(scratch.body, chunk, page, point.keep(), separator, length);
        TreeWriter.change(m, right, NodeChange.NODE_BUILD, scratch);
        NodeEdit.cut(scratch.body, point.keep(), separator, length);
        TreeWriter.change(m, left, NodeChange.NODE_CUT, scratch);
        int number = PageId.pageNumber(pool.pageId(right));
        NodeEdit.innerInsert(scratch.body, position, number, separator, prefix, length);
        TreeWriter.change(m, parent, NodeChange.INNER_INSERT, scratch);
        counters.increment(level == 0 ? Counter.LEAF_SPLITS : Counter.INNER_SPLITS);
        return Outcome.CHANGED;
    }

    private Outcome splitRoot(
            MiniTransaction m,
            WritePosition p,
            int level,
            byte[] key,
            int keyLength,
            RecordRoom room,
            PageReservation pages) {
        if (!latches.fix(m, level, key, keyLength, p)) {
            return Outcome.HAS_ROOM; // the level is gone: who wanted room in it looks again
        }
        if (p.pageId() != descent.rootPageId()) {
            return Outcome.CHANGED; // the tree has grown meanwhile
        }
        ByteBuffer chunk = p.chunk();
        int page = p.page();
        SplitPoint point = p.splitPoint();
        if (!choose(chunk, page, level, key, keyLength, room, point)) {
            return Outcome.HAS_ROOM;
        }
        pages.fixMaps(m);
        TestHooks.reached(SPLIT_LATCHED);

        byte[] separator = point.separator();
        int length = point.separatorLength();
        NodeScratch scratch = p.scratch();
        int left = space.allocate(m, pages, treeId, pageType(level));
        NodeEdit.leftHalf(scratch.body, chunk, page, point.keep(), separator, length);
        TreeWriter.change(m, left, NodeChange.NODE_BUILD, scratch);
        int right = space.allocate(m, pages, treeId, pageType(level));
        NodeEdit.rightHalf(scratch.body, chunk, page, point.keep(), separator, length);
        TreeWriter.change(m, right, NodeChange.NODE_BUILD, scratch);
        NodeEdit.root(
                scratch.body,
                level + 1,
                PageId.pageNumber(pool.pageId(left)),
                PageId.pageNumber(pool.pageId(right)),
                separator,
                length);
        TreeWriter.change(m, p.frame(), NodeChange.NODE_BUILD, scratch);
        counters.increment(level == 0 ? Counter.LEAF_SPLITS : Counter.INNER_SPLITS);
        counters.increment(Counter.ROOT_SPLITS);
        return Outcome.CHANGED;
    }

    /** Returns false if the page has room. */
    private boolean choose(
            ByteBuffer chunk,
            int page,
            int level,
            byte[] key,
            int keyLength,
            RecordRoom room,
            SplitPoint point) {
        if (level == 0) {
            if (room.missing(chunk, page, key, keyLength) <= 0) {
                return false;
            }
            int suffix = keyLength - NodeLayout.prefixLength(chunk, page);
            point.chooseLeaf(chunk, page, key, keyLength, room.bytes(suffix));
            return true;
        }
        int bytes = InnerRecord.bytes(keyLength - NodeLayout.prefixLength(chunk, page));
        if (NodeSize.fitsInsert(chunk, page, bytes)) {
            return false;
        }
        point.chooseInner(chunk, page, key, keyLength, bytes);
        return true;
    }

    private static byte pageType(int level) {
        return level == 0 ? PageType.LEAF : PageType.INNER;
    }
}
