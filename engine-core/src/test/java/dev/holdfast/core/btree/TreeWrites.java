// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.io.memory.PageMemory;

/** Puts, removes and gets as a transaction layer would, without versions; for one thread. */
final class TreeWrites {
    final MiniTransaction m;
    final WritePosition p;
    private final BTree tree;
    private final ReadPosition read;
    private boolean emptyOnly;
    private SettledVersions settled = SettledVersions.NONE;

    TreeWrites(TreeFixture fixture) {
        tree = fixture.tree;
        m = fixture.mtrs.mtr();
        p = new WritePosition(fixture.pool);
        read = new ReadPosition(fixture.pool);
    }

    /** Leaves are left alone until they are empty. */
    TreeWrites mergesEmptyOnly(boolean value) {
        emptyOnly = value;
        return this;
    }

    TreeWrites settled(SettledVersions versions) {
        settled = versions;
        return this;
    }

    void put(byte[] key, byte[] value) {
        put(key, 0, 0, 0, value);
    }

    void put(byte[] key, int flags, long txnId, long roll, byte[] value) {
        while (!tryPut(key, flags, txnId, roll, value)) {
            RecordRoom room = new RecordRoom(flags, value.length);
            tree.makeRoom(m, p, key, key.length, room, settled, false);
        }
    }

    private boolean tryPut(byte[] key, int flags, long txnId, long roll, byte[] value) {
        m.begin(BTree.redoBytesMax(key.length, value.length), 0, false);
        try {
            boolean found = tree.fixLeafForWrite(m, key, key.length, p);
            if (!tree.hasRoom(p, flags, key.length, value.length)) {
                m.abandon();
                return false;
            }
            if (found) {
                tree.replace(m, p, flags, txnId, roll, value, 0, value.length);
            } else {
                tree.insert(m, p, flags, txnId, roll, key, key.length, value, 0, value.length);
            }
            m.commit();
            return true;
        } catch (Throwable t) {
            throw m.failed(t);
        }
    }

    /** Gives a record a version; returns false if there is none of the key. */
    boolean mark(byte[] key, int flags, long txnId, long roll) {
        while (true) {
            m.begin(BTree.redoBytesMax(key.length, 0), 0, false);
            try {
                if (!tree.fixLeafForWrite(m, key, key.length, p)) {
                    m.abandon();
                    return false;
                }
                if (tree.hasRoomForHeader(p, flags)) {
                    tree.setHeader(m, p, flags, txnId, roll);
                    m.commit();
                    return true;
                }
                int length = LeafRecord.valueLength(p.chunk(), p.record(), p.recordLength());
                m.abandon();
                RecordRoom room = new RecordRoom(flags, length);
                tree.makeRoom(m, p, key, key.length, room, settled, false);
            } catch (Throwable t) {
                throw m.failed(t);
            }
        }
    }

    boolean remove(byte[] key) {
        boolean sparse;
        m.begin(BTree.redoBytesMax(key.length, 0), 0, false);
        try {
            if (!tree.fixLeafForWrite(m, key, key.length, p)) {
                m.abandon();
                return false;
            }
            tree.remove(m, p);
            sparse = emptyOnly ? NodeLayout.slotCount(p.chunk(), p.page()) == 0 : tree.isSparse(p);
            m.commit();
        } catch (Throwable t) {
            throw m.failed(t);
        }
        if (sparse) {
            tree.mergeAt(m, p, key, key.length, true);
        }
        return true;
    }

    /** The value, or null. */
    byte[] get(byte[] key) {
        while (true) {
            tree.search(key, key.length, read);
            try {
                byte[] value = null;
                if (read.found()) {
                    int record = read.record();
                    int length = LeafRecord.valueLength(read.chunk(), record, read.recordLength());
                    value = new byte[length];
                    PageMemory.copyOut(
                            read.chunk(),
                            LeafRecord.valueAt(read.chunk(), record),
                            value,
                            0,
                            length);
                }
                if (read.validate()) {
                    return value;
                }
            } catch (IndexOutOfBoundsException torn) {
                // Begin anew.
            } finally {
                read.release();
            }
        }
    }
}
