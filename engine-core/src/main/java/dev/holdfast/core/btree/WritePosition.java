// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.watch.Tally;
import java.nio.ByteBuffer;

/**
 * A leaf held exclusively by a mini-transaction, and a slot in it; with the memory that changes of
 * tree pages work in. Reused, for one thread at a time: one a transaction or agent.
 */
public final class WritePosition {
    private final BufferPool pool;

    /** For the ways down. */
    final ReadPosition read;

    private NodeScratch scratch;
    private SplitPoint splitPoint;
    private int frame;
    private long pageId;
    private ByteBuffer chunk;
    private int page;
    private int slot;
    private boolean found;

    /** Counts with everybody else. */
    public WritePosition(BufferPool pool) {
        this(pool, pool.tally());
    }

    /**
     * @param tally of whoever uses the position, in the same thread
     */
    public WritePosition(BufferPool pool, Tally tally) {
        this.pool = pool;
        read = new ReadPosition(pool, tally);
    }

    public int frame() {
        return frame;
    }

    public long pageId() {
        return pageId;
    }

    public ByteBuffer chunk() {
        return chunk;
    }

    /** Where in its chunk the page begins. */
    public int page() {
        return page;
    }

    /** Whether the key has a record, deleted or not. */
    public boolean found() {
        return found;
    }

    /** The key's slot, or where it would go. */
    public int slot() {
        return slot;
    }

    /** Absolute offset of the found record, for {@link LeafRecord}; changes move it. */
    public int record() {
        assert found : "slot=" + slot;

        return NodeLayout.recordAt(chunk, page, slot);
    }

    public int recordLength() {
        assert found : "slot=" + slot;

        return NodeLayout.recordLength(chunk, page, slot);
    }

    /** Allocates; so it comes before the first change. */
    NodeScratch scratch() {
        if (scratch == null) {
            scratch = new NodeScratch(pool.pageBytes());
        }
        return scratch;
    }

    SplitPoint splitPoint() {
        if (splitPoint == null) {
            splitPoint = new SplitPoint(pool.pageBytes());
        }
        return splitPoint;
    }

    void at(int newFrame, long newPageId) {
        frame = newFrame;
        pageId = newPageId;
        chunk = pool.chunk(newFrame);
        page = pool.offset(newFrame);
        found = false;
        slot = 0;
    }

    void result(int searched) {
        found = searched >= 0;
        slot = found ? searched : -1 - searched;
    }

    void found(boolean isFound) {
        found = isFound;
    }
}
