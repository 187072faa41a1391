// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.Invariants;

/**
 * One tree: keys of unsigned lexicographic order, each with a record of flags, version and value.
 *
 * <p>To read: {@link #search}, copy what is wanted, {@link ReadPosition#validate}. To write: in a
 * mini-transaction {@link #fixLeafForWrite}; if {@link #hasRoom} says no, abandon it, {@link
 * #makeRoom} and begin again; else change the record. A mini-transaction changes one record of one
 * tree (P7). After records are removed, {@link #mergeAt} gives pages back.
 *
 * <p>Keys are given as an array and a length from its start. The root's page id never changes. Safe
 * for all threads; positions and mini-transactions belong to one each.
 */
public final class BTree {
    private final int treeId;
    private final long rootPageId;
    private final BufferPool pool;
    private final Counters counters;
    private final TreeDescent descent;
    private final TreeLatches latches;
    private final TreeGrowth growth;
    private final TreeShrink shrink;
    private final int pageBytes;

    public BTree(int treeId, int rootPageNumber, Space space, BufferPool pool, Counters counters) {
        this.treeId = treeId;
        this.rootPageId = PageId.of(space.spaceId(), rootPageNumber);
        this.pool = pool;
        this.counters = counters;
        this.pageBytes = pool.pageBytes();
        this.descent = new TreeDescent(treeId, rootPageId, pool, counters);
        this.latches = new TreeLatches(descent, rootPageId, pool);
        this.growth = new TreeGrowth(treeId, pool, space, descent, latches, counters);
        this.shrink = new TreeShrink(pool, space, descent, latches, counters);
    }

    /**
     * Makes an empty tree of one page.
     *
     * <p><b>Latches:</b> the page's map is held by the mini-transaction.
     *
     * @return the frame of the root
     */
    public static int create(
            MiniTransaction m,
            Space space,
            PageReservation pages,
            int treeId,
            WritePosition scratch) {
        NodeScratch memory = scratch.scratch();
        int frame = space.allocate(m, pages, treeId, PageType.LEAF);
        NodeEdit.emptyLeaf(memory.body);
        TreeWriter.change(m, frame, NodeChange.NODE_BUILD, memory);
        return frame;
    }

    /** A bound on the redo of {@link #create}, the map's apart. */
    public static int createRedoBytesMax() {
        return 64 + 2 * RedoWriter.RECORD_OVERHEAD_MAX;
    }

    public int treeId() {
        return treeId;
    }

    public int spaceId() {
        return PageId.spaceId(rootPageId);
    }

    public long rootPageId() {
        return rootPageId;
    }

    public int pageBytes() {
        return pageBytes;
    }

    /** Says that the tree is being dropped: reads that meet foreign pages are no damage then. */
    public void dropped() {
        descent.gone();
    }

    /**
     * Finds the leaf and slot of a key.
     *
     * <p>The position is to be validated after what is wanted was read from it; if that fails, or
     * the reading throws {@code IndexOutOfBoundsException}, search again.
     *
     * <p><b>Latches:</b> none held on entry; on return the position may hold the leaf shared, see
     * {@link ReadPosition#release}.
     *
     * @throws TreeGoneException if the tree was dropped
     * @throws dev.holdfast.CorruptionException if a page is not what its tree says
     */
    public void search(byte[] key, int keyLength, ReadPosition p) {
        while (true) {
            descent.to(0, TreeDescent.FOR_KEY, key, keyLength, p);
            try {
                p.result(NodeSearch.leaf(p.chunk(), p.page(), key, keyLength));
                return;
            } catch (IndexOutOfBoundsException torn) {
                if (p.isLatched()) {
                    p.release();
                    throw TreeCorruption.unreadable(p.pageId(), torn);
                }
            }
        }
    }

    /**
     * Latches the leaf of a key and finds its slot.
     *
     * <p><b>Latches:</b> none held on entry; the leaf exclusively on return, by the
     * mini-transaction.
     *
     * @return whether the key has a record
     */
    public boolean fixLeafForWrite(MiniTransaction m, byte[] key, int keyLength, WritePosition p) {
        p.scratch();
        boolean isFixed = latches.fix(m, 0, key, keyLength, p);
        assert isFixed : "no tree is lower than its leaves";
        p.result(NodeSearch.leaf(p.chunk(), p.page(), key, keyLength));
        return p.found();
    }

    /**
     * Whether the leaf takes the record: in place of the one found, or as a new one.
     *
     * @param valueLength of the value as stored: of the pointer if it overflows
     */
    public boolean hasRoom(WritePosition p, int flags, int keyLength, int valueLength) {
        int bytes =
                LeafRecord.bytes(
                        flags,
                        keyLength - NodeLayout.prefixLength(p.chunk(), p.page()),
                        valueLength);
        return p.found()
                ? NodeSize.fitsReplace(p.chunk(), p.page(), p.slot(), bytes)
                : NodeSize.fitsInsert(p.chunk(), p.page(), bytes);
    }

    /** Whether the found record can have these flags and a version if they say so. */
    public boolean hasRoomForHeader(WritePosition p, int flags) {
        int record = p.record();
        int bytes =
                LeafRecord.bytes(
                        flags,
                        LeafRecord.suffixLength(p.chunk(), record),
                        LeafRecord.valueLength(p.chunk(), record, p.recordLength()));
        return NodeSize.fitsReplace(p.chunk(), p.page(), p.slot(), bytes);
    }

    /**
     * Makes room for a record by dropping settled versions or by splits; each a group of its own.
     * Another writer may take the room: then once more.
     *
     * <p><b>Latches:</b> none held, and the mini-transaction is not active; so on return.
     *
     * @param room what the record will be; for a change of header alone with the value's length
     * @param reserved for rollback and purge, which may use what is kept for them
     * @throws dev.holdfast.DiskFullException if the space cannot grow
     * @throws dev.holdfast.LogSpaceTimeoutException if there was no log space in time
     */
    public void makeRoom(
            MiniTransaction m,
            WritePosition p,
            byte[] key,
            int keyLength,
            RecordRoom room,
            SettledVersions settled,
            boolean reserved) {
        growth.makeRoom(m, p, key, keyLength, room, settled, reserved);
    }

    /**
     * Inserts a record where {@link #fixLeafForWrite} found none.
     *
     * <p>This and the other changes: the leaf is held by the mini-transaction and {@link #hasRoom}
     * was true; nothing is thrown that does not mean a broken page.
     */
    public void insert(
            MiniTransaction m,
            WritePosition p,
            int flags,
            long txnId,
            long roll,
            byte[] key,
            int keyLength,
            byte[] value,
            int valueOffset,
            int valueLength) {
        Invariants.check(
                !p.found() && hasRoom(p, flags, keyLength, valueLength),
                "leaf takes a new record",
                p.pageId(),
                p.slot());
        NodeScratch scratch = p.scratch();
        NodeEdit.leafInsert(
                scratch.body,
                p.slot(),
                flags,
                txnId,
                roll,
                key,
                NodeLayout.prefixLength(p.chunk(), p.page()),
                keyLength,
                value,
                valueOffset,
                valueLength);
        TreeWriter.change(m, p.frame(), NodeChange.LEAF_INSERT, scratch);
        p.found(true);
    }

    /** Gives the found record a new header and value. */
    public void replace(
            MiniTransaction m,
            WritePosition p,
            int flags,
            long txnId,
            long roll,
            byte[] value,
            int valueOffset,
            int valueLength) {
        Invariants.check(
                p.found()
                        && NodeSize.fitsReplace(
                                p.chunk(), p.page(), p.slot(), lengthWith(p, flags, valueLength)),
                "leaf takes a longer record",
                p.pageId(),
                p.slot());
        NodeScratch scratch = p.scratch();
        NodeEdit.leafReplace(
                scratch.body, p.slot(), flags, txnId, roll, value, valueOffset, valueLength);
        TreeWriter.change(m, p.frame(), NodeChange.LEAF_REPLACE, scratch);
    }

    private static int lengthWith(WritePosition p, int flags, int valueLength) {
        int suffixLength = LeafRecord.suffixLength(p.chunk(), p.record());
        return LeafRecord.bytes(flags, suffixLength, valueLength);
    }

    /** Gives the found record a new header; its value stays. */
    public void setHeader(MiniTransaction m, WritePosition p, int flags, long txnId, long roll) {
        Invariants.check(
                p.found() && hasRoomForHeader(p, flags),
                "leaf takes a longer header",
                p.pageId(),
                p.slot());
        NodeScratch scratch = p.scratch();
        NodeEdit.leafHeader(scratch.body, p.slot(), flags, txnId, roll);
        TreeWriter.change(m, p.frame(), NodeChange.LEAF_HEADER, scratch);
    }

    /** Removes the found record. */
    public void remove(MiniTransaction m, WritePosition p) {
        Invariants.check(p.found(), "record to remove was found", p.pageId(), p.slot());
        NodeScratch scratch = p.scratch();
        NodeEdit.leafRemove(scratch.body, p.slot());
        TreeWriter.change(m, p.frame(), NodeChange.LEAF_REMOVE, scratch);
        p.found(false);
    }

    /** A bound on the redo of one change of a record. */
    public static int redoBytesMax(int keyLength, int valueLength) {
        return RedoWriter.RECORD_OVERHEAD_MAX
                + 8
                + LeafRecord.VERSION_BYTES
                + keyLength
                + valueLength;
    }

    /** Whether {@link #mergeAt} may be worth its while: the leaf is less than a quarter full. */
    public boolean isSparse(WritePosition p) {
        return TreeShrink.isSparse(p.chunk(), p.page(), pageBytes);
    }

    /**
     * Frees empty leaves around a key and merges neighbours that fit together, then looks at the
     * pages above; each step a group of its own.
     *
     * <p><b>Latches:</b> none held, and the mini-transaction is not active; so on return.
     */
    public void mergeAt(
            MiniTransaction m, WritePosition p, byte[] key, int keyLength, boolean reserved) {
        shrink.mergeAt(m, p, key, keyLength, reserved);
    }

    BufferPool pool() {
        return pool;
    }

    Counters counters() {
        return counters;
    }

    TreeDescent descent() {
        return descent;
    }
}
