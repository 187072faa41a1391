// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.LeafSnapshot;
import dev.holdfast.core.btree.RecordRoom;
import dev.holdfast.core.btree.SettledVersions;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceRecords;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of the catalog on disk. Each change is one group, without undo: a change of the catalog
 * is atomic and is no transaction (P19). Used under the catalog's lock.
 */
final class CatalogTree {
    /*
     * A mini-transaction changes one tree (P7). Creating a table changes two, but the second is one
     * new page that nobody can reach, so no latch order can be broken by it.
     */

    /** The root of the catalog tree; the first page of the main space that is free. */
    static final int ROOT_PAGE = 2;

    private static final int FRAMES = 4;
    private static final int MAP_PATCH_BYTES = RedoWriter.RECORD_OVERHEAD_MAX + 5 + Long.BYTES;
    private static final int SPACE_RECORD_BYTES =
            3 * RedoWriter.RECORD_OVERHEAD_MAX
                    + SpaceRecords.CREATE_BYTES
                    + SpaceRecords.DROP_BYTES
                    + SpaceRecords.HIGH_WATER_BYTES;

    private final BTree tree;
    private final MiniTransaction mtr;
    private final WritePosition position;

    CatalogTree(BTree tree, MiniTransaction mtr, WritePosition position) {
        this.tree = tree;
        this.mtr = mtr;
        this.position = position;
    }

    /** Makes the tree in the main space of a new store. */
    static void create(Space main, MiniTransaction mtr, WritePosition position) {
        try (PageReservation root = main.reserve(1, PageId.NULL_PAGE_NUMBER, true)) {
            Invariants.check(
                    main.spaceId() == StoreFiles.MAIN_SPACE && root.pageNumber(0) == ROOT_PAGE,
                    "catalog is at its place",
                    main.spaceId(),
                    root.pageNumber(0));
            mtr.begin(BTree.createRedoBytesMax() + MAP_PATCH_BYTES, 2, true);
            try {
                root.fixMaps(mtr);
                BTree.create(mtr, main, root, IdHighWaters.CATALOG_TREE, position);
                mtr.commit();
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
        }
    }

    BTree tree() {
        return tree;
    }

    /** All rows, by tree id. */
    List<CatalogRow> rows() {
        List<CatalogRow> rows = new ArrayList<>();
        LeafSnapshot leaf = new LeafSnapshot(tree);
        byte[] key = new byte[CatalogRow.KEY_BYTES];
        leaf.seekFirst();
        int slot = 0;
        while (slot != LeafSnapshot.NO_LEAF) {
            for (; slot < leaf.count(); slot++) {
                if (leaf.keyLength(slot) != CatalogRow.KEY_BYTES) {
                    throw new CorruptionException(
                            "catalog key is damaged",
                            StoreFiles.spaceFile(StoreFiles.MAIN_SPACE),
                            "keyBytes=" + CatalogRow.KEY_BYTES,
                            "keyBytes=" + leaf.keyLength(slot));
                }
                leaf.key(slot, key);
                rows.add(CatalogRow.decode(ByteBuffer.wrap(key).getInt(), value(leaf, slot)));
            }
            slot = leaf.nextLeaf();
        }
        return rows;
    }

    /**
     * Adds a table: its root page, its row, the ids that it uses and, for a space of its own, that
     * the space exists, all in one group.
     *
     * @return the group's end
     */
    long insert(CatalogRow row, Space space, PageReservation root, byte[] spaceCreate) {
        byte[] key = CatalogRow.key(row.treeId());
        byte[] value = row.encode();
        int usedSpace = spaceCreate.length == 0 ? 0 : row.spaceId();
        byte[] highWater = SpaceRecords.highWater(0, row.treeId(), usedSpace);
        while (true) {
            begin(key, value);
            try {
                boolean found = tree.fixLeafForWrite(mtr, key, key.length, position);
                Invariants.check(!found, "tree id is new", row.treeId());
                if (tree.hasRoom(position, 0, key.length, value.length)) {
                    root.fixMaps(mtr);
                    BTree.create(mtr, space, root, row.treeId(), position);
                    tree.insert(mtr, position, 0, 0, 0, key, key.length, value, 0, value.length);
                    if (spaceCreate.length > 0) {
                        record(RedoType.SPACE_CREATE, spaceCreate);
                    }
                    record(RedoType.ID_HIGH_WATER, highWater);
                    return mtr.commit();
                }
                mtr.abandon();
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
            makeRoom(key, value);
        }
    }

    /** Gives a table's row other contents. Returns the group's end. */
    long replace(CatalogRow row) {
        byte[] key = CatalogRow.key(row.treeId());
        byte[] value = row.encode();
        while (true) {
            begin(key, value);
            try {
                boolean found = tree.fixLeafForWrite(mtr, key, key.length, position);
                Invariants.check(found, "table has a row", row.treeId());
                if (tree.hasRoom(position, 0, key.length, value.length)) {
                    tree.replace(mtr, position, 0, 0, 0, value, 0, value.length);
                    return mtr.commit();
                }
                mtr.abandon();
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
            makeRoom(key, value);
        }
    }

    /**
     * Removes a table's row and, for a space of its own, logs that the space is gone.
     *
     * @return the group's end
     */
    long remove(CatalogRow row, byte[] spaceDrop) {
        byte[] key = CatalogRow.key(row.treeId());
        long endLsn;
        boolean sparse;
        mtr.begin(BTree.redoBytesMax(key.length, 0) + SPACE_RECORD_BYTES, FRAMES, true);
        try {
            boolean found = tree.fixLeafForWrite(mtr, key, key.length, position);
            Invariants.check(found, "table has a row", row.treeId());
            tree.remove(mtr, position);
            sparse = tree.isSparse(position);
            if (spaceDrop.length > 0) {
                record(RedoType.SPACE_DROP, spaceDrop);
            }
            endLsn = mtr.commit();
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        }
        if (sparse) {
            tree.mergeAt(mtr, position, key, key.length, true);
        }
        return endLsn;
    }

    private void begin(byte[] key, byte[] value) {
        int bytes =
                BTree.createRedoBytesMax()
                        + MAP_PATCH_BYTES
                        + BTree.redoBytesMax(key.length, value.length)
                        + SPACE_RECORD_BYTES;
        mtr.begin(bytes, FRAMES, false);
    }

    private void makeRoom(byte[] key, byte[] value) {
        tree.makeRoom(
                mtr,
                position,
                key,
                key.length,
                new RecordRoom(0, value.length),
                SettledVersions.NONE,
                false);
    }

    private void record(int type, byte[] body) {
        mtr.recordWithoutPage(type).putBytes(body, 0, body.length);
        mtr.endRecord();
    }

    private static byte[] value(LeafSnapshot leaf, int slot) {
        ByteBuffer chunk = leaf.chunk();
        int record = leaf.record(slot);
        byte[] value = new byte[LeafRecord.valueLength(chunk, record, leaf.recordLength(slot))];
        PageMemory.copyOut(chunk, LeafRecord.valueAt(chunk, record), value, 0, value.length);
        return value;
    }
}
