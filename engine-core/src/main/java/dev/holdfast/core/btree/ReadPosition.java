// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.watch.Tally;
import java.nio.ByteBuffer;

/**
 * A place in a tree that was read without a latch, or under a shared one.
 *
 * <p>What is read of the page counts only if {@link #validate} is true afterwards. If it is false,
 * or a read throws {@code IndexOutOfBoundsException}, the caller searches again with the same
 * position; after a few such rounds the search comes back with the leaf latched shared, and
 * validation cannot fail. So whoever waits for anything, or is done, calls {@link #release}.
 *
 * <p>Reused, for one thread at a time. Allocates nothing after its construction.
 */
public final class ReadPosition {
    private final BufferPool pool;
    private final Tally tally;
    private int frame;
    private long version;
    private long pageId;
    private ByteBuffer chunk;
    private int page;
    private int level;
    private int slot;
    private boolean found;
    private boolean latched;
    private boolean cold;

    /** Looks at the leaf's parent on the way down; null if there is nothing to look for. */
    private LeafAhead ahead;

    private byte[] aheadBound;

    /** Whether the leaf that the last search came to had to be read by it. */
    private boolean leafWasMissing;

    /** Searches since the last validation that held. */
    private int unvalidated;

    /** Counts with everybody else. */
    public ReadPosition(BufferPool pool) {
        this(pool, pool.tally());
    }

    /**
     * @param tally of whoever uses the position, in the same thread
     */
    public ReadPosition(BufferPool pool, Tally tally) {
        this.pool = pool;
        this.tally = tally;
    }

    /**
     * Whether all that was read of the page since the search is of one moment; that moment is not
     * over before the call.
     */
    public boolean validate() {
        if (latched || pool.validate(frame, version)) {
            unvalidated = 0;
            return true;
        }
        return false;
    }

    /** Gives the latch up if there is one; the position is then worth nothing but its page id. */
    public void release() {
        if (latched) {
            latched = false;
            pool.unfixShared(frame);
        }
    }

    /** Whether the search had to latch the leaf: then wait for nothing before the release. */
    public boolean isLatched() {
        return latched;
    }

    public ByteBuffer chunk() {
        return chunk;
    }

    /** Where in its chunk the page begins. */
    public int page() {
        return page;
    }

    public long pageId() {
        return pageId;
    }

    public int frame() {
        return frame;
    }

    public long version() {
        return version;
    }

    /** Whether the key has a record, deleted or not. */
    public boolean found() {
        return found;
    }

    /** Absolute offset of the found record, for {@link LeafRecord}. */
    public int record() {
        return NodeLayout.recordAt(chunk, page, slot);
    }

    public int recordLength() {
        return NodeLayout.recordLength(chunk, page, slot);
    }

    /** Whether leaves that are missing enter the pool as pages wanted once. */
    boolean isCold() {
        return cold;
    }

    void cold(boolean isScan) {
        cold = isScan;
    }

    /**
     * What was read of the page no longer matters, since it is latched or given up, or it was
     * validated by its frame and version. Without this, later searches count it as failed and end
     * up latched.
     */
    public void settled() {
        unvalidated = 0;
    }

    /** The next search looks ahead, as far as a bound or, if that is null, the tree's end. */
    void looksAhead(LeafAhead scan, byte[] bound) {
        ahead = scan;
        aheadBound = bound;
    }

    boolean looksAhead() {
        return ahead != null;
    }

    LeafAhead ahead() {
        return ahead;
    }

    byte[] aheadBound() {
        return aheadBound;
    }

    void leafMissed() {
        leafWasMissing = true;
    }

    boolean leafWasMissing() {
        return leafWasMissing;
    }

    Tally tally() {
        return tally;
    }

    int level() {
        return level;
    }

    int unvalidated() {
        return unvalidated;
    }

    void searchBegins() {
        release();
        leafWasMissing = false;
        unvalidated++;
    }

    void restartCounted() {
        unvalidated++;
    }

    void at(int newFrame, long newVersion, long newPageId, int newLevel) {
        frame = newFrame;
        version = newVersion;
        pageId = newPageId;
        level = newLevel;
        chunk = pool.chunk(newFrame);
        page = pool.offset(newFrame);
    }

    /** The position takes the shared latch over. */
    void latched(int newFrame, long newPageId, int newLevel) {
        at(newFrame, 0, newPageId, newLevel);
        latched = true;
    }

    void result(int searched) {
        found = searched >= 0;
        slot = found ? searched : -1 - searched;
    }
}
