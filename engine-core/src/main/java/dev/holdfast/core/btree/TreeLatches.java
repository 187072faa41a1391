// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import java.nio.ByteBuffer;

/** Latches one page of a tree exclusively for a mini-transaction, and children under it (P1). */
final class TreeLatches {
    /*
     * The way down is optimistic, and the very version that was reached is turned into X by one CAS:
     * between the reading of the parent and the latch the page cannot have become another. When that
     * fails again and again, the parent is held shared while X of the page is waited for; who frees
     * or splits the page needs X of the parent.
     */
    private static final int UPGRADES_MAX = 8;

    private final TreeDescent descent;
    private final long rootPageId;
    private final BufferPool pool;

    TreeLatches(TreeDescent descent, long rootPageId, BufferPool pool) {
        this.descent = descent;
        this.rootPageId = rootPageId;
        this.pool = pool;
    }

    /**
     * Latches the page of a level whose range holds the key.
     *
     * <p><b>Latches:</b> none held on entry; X of the page on return of true, else none.
     *
     * @return false if the whole tree is lower than that
     */
    boolean fix(MiniTransaction m, int level, byte[] key, int keyLength, WritePosition p) {
        ReadPosition read = p.read;
        for (int attempt = 0; attempt < UPGRADES_MAX; attempt++) {
            descent.to(level, TreeDescent.FOR_KEY, key, keyLength, read);
            if (read.level() < level) {
                if (read.validate()) {
                    read.release();
                    return false;
                }
                continue;
            }
            if (read.isLatched()) {
                read.release();
                break;
            }
            if (m.fixUpgraded(read.frame(), read.pageId(), read.version())) {
                read.settled();
                p.at(read.frame(), read.pageId());
                return true;
            }
            descent.countRestart();
        }
        read.settled();
        return fixUnderParent(m, level, key, keyLength, p);
    }

    private boolean fixUnderParent(
            MiniTransaction m, int level, byte[] key, int keyLength, WritePosition p) {
        ReadPosition parent = p.read;
        while (true) {
            descent.latched(level + 1, TreeDescent.FOR_KEY, key, keyLength, parent);
            long missing = PageId.NONE;
            try {
                if (parent.level() > level) {
                    missing = fixChildOf(m, parent, level, key, keyLength, p);
                    if (missing == PageId.NONE) {
                        return true;
                    }
                }
            } finally {
                parent.release();
            }
            if (parent.level() < level) {
                return false;
            }
            if (parent.level() == level) {
                if (fixRoot(m, level, p)) {
                    return true;
                }
            } else {
                pool.load(missing, false, m.tally());
            }
        }
    }

    /** Returns NONE, or the page if it is not in the pool. */
    private long fixChildOf(
            MiniTransaction m,
            ReadPosition parent,
            int level,
            byte[] key,
            int keyLength,
            WritePosition p) {
        ByteBuffer chunk = parent.chunk();
        int position = NodeSearch.child(chunk, parent.page(), key, keyLength);
        long childId = idOf(InnerRecord.childAt(chunk, parent.page(), position));
        int frame = pool.find(childId);
        while (frame >= 0) {
            if (m.fixResident(frame, childId)) {
                p.at(frame, childId);
                checkLevel(p.chunk(), p.page(), childId, level);
                return PageId.NONE;
            }
            frame = pool.find(childId);
        }
        return childId;
    }

    /** The root, if it is of the level; a root may grow or shrink while it is waited for. */
    private boolean fixRoot(MiniTransaction m, int level, WritePosition p) {
        int frame = m.fixExclusive(rootPageId);
        if (descent.isNode(pool.chunk(frame), pool.offset(frame), level)) {
            p.at(frame, rootPageId);
            return true;
        }
        m.unfix(frame);
        return false;
    }

    /**
     * Latches a child of an inner page that is held exclusively; a miss takes a frame of the
     * mini-transaction's stock.
     *
     * @return its frame
     */
    int fixChild(MiniTransaction m, int parentFrame, int position) {
        ByteBuffer chunk = pool.chunk(parentFrame);
        int page = pool.offset(parentFrame);
        long childId = idOf(InnerRecord.childAt(chunk, page, position));
        int frame = m.fixExclusive(childId);
        checkLevel(
                pool.chunk(frame), pool.offset(frame), childId, NodeLayout.level(chunk, page) - 1);
        return frame;
    }

    private void checkLevel(ByteBuffer chunk, int page, long pageId, int level) {
        if (!descent.isNode(chunk, page, level)) {
            throw descent.wrongPage(pageId, level, chunk, page);
        }
    }

    long idOf(int pageNumber) {
        return PageId.of(PageId.spaceId(rootPageId), pageNumber);
    }
}
