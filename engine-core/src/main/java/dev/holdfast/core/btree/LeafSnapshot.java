// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.buffer.ReadAhead;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Tally;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A private copy of one leaf, as it was at one moment: what a cursor reads from (P15).
 *
 * <p>It holds no latch, so its user may take any time. {@link #stillValid} says whether the leaf is
 * unchanged; whoever follows a pointer out of the leaf, or relies on a transaction being absent,
 * needs that (P4, P6), and loads again from its last key if it is not so. The leaf's fences are
 * part of the copy, so going on to the next leaf starts from a key that was read in the same moment
 * as the leaf's end.
 *
 * <p>A leaf that is written all the time may never be unchanged for as long as its user needs.
 * After a few loads in vain he asks for the next one to be latched, {@link #latchNext}, is short,
 * and gives the latch up, {@link #release}.
 *
 * <p>Reused, for one thread at a time; owns a page of direct memory.
 */
public final class LeafSnapshot {
    /*
     * Copying a leaf costs about as much as reading ten of its records one by one with validation,
     * and then a hundred records need neither latch nor validation. Two parts are copied: header
     * and slots, and the heap; the free space between is not.
     *
     * The copying itself cannot be kept from its end by writers: after some restarts the descent
     * latches (TreeDescent.RESTARTS_MAX).
     */

    /** There is no leaf on that side. */
    public static final int NO_LEAF = Integer.MIN_VALUE;

    /** So much of a key is shown in a message. */
    private static final int HEX_BYTES_MAX = 32;

    private final ReadPosition position;
    private final ByteBuffer copy;
    private final int pageBytes;
    private final byte[] fence;
    private BTree tree;
    private long version;
    private int frame = -1;
    private long pageId;

    /** Whether the next load is to come back with the leaf latched. */
    private boolean latchNext;

    /** Null until the first leaf is crossed, and where nothing is read ahead. */
    private LeafAhead ahead;

    /** Counts with everybody else. */
    public LeafSnapshot(BTree tree) {
        this(tree, tree.pool().tally());
    }

    /**
     * @param tally of whoever uses it, in the same thread
     */
    public LeafSnapshot(BTree tree, Tally tally) {
        this.tree = tree;
        this.pageBytes = tree.pageBytes();
        this.position = new ReadPosition(tree.pool(), tally);
        this.copy = ByteBuffer.allocateDirect(pageBytes);
        this.fence = new byte[TreeLimits.keyBytesMax(pageBytes)];
    }

    /** Goes over to another tree of the same store; {@link #scans} stays as it is. */
    public void attach(BTree other) {
        assert other.pageBytes() == pageBytes : "pageBytes=" + other.pageBytes();
        tree = other;
        frame = -1;
        jumps();
    }

    /** The scan begins, or goes on elsewhere: nothing is read ahead for now. */
    public void jumps() {
        if (ahead != null) {
            ahead.jumps();
            position.looksAhead(null, null);
        }
    }

    /**
     * The next load goes on from a fence of this leaf: a scan, for which leaves may be read ahead.
     *
     * @param bound where the scan ends, going up above all its keys, going down at the least; null
     *     if it goes to the tree's end
     */
    public void crosses(boolean up, byte[] bound) {
        if (ahead == null) {
            ReadAhead readAhead = tree.pool().readAhead();
            if (readAhead == null) {
                return;
            }
            ahead = new LeafAhead(tree.pool(), readAhead);
        }
        if (ahead.crosses(up)) {
            position.looksAhead(ahead, bound);
        }
    }

    /** Announces a scan: leaves that have to be read enter the pool as pages wanted once. */
    public void scans(boolean isScan) {
        position.cold(isScan);
    }

    /**
     * Loads the leaf whose range holds the key.
     *
     * @return the slot of the key or of the next greater one, {@link #count} if there is none here
     */
    public int seek(byte[] key, int keyLength) {
        load(TreeDescent.FOR_KEY, key, keyLength);
        return slotOf(key, keyLength);
    }

    /**
     * Loads the leaf whose range ends at or behind the key and begins below it.
     *
     * @return the slot of the greatest key below it, -1 if there is none here
     */
    public int seekBelow(byte[] key, int keyLength) {
        load(TreeDescent.BELOW_KEY, key, keyLength);
        return slotOf(key, keyLength) - 1;
    }

    /** Loads the first leaf. */
    public void seekFirst() {
        load(TreeDescent.FOR_KEY, fence, 0);
    }

    /** Loads the last leaf. */
    public void seekLast() {
        load(TreeDescent.LAST, fence, 0);
    }

    /**
     * Loads the leaf behind this one. It may have got records from before the fence by a merge
     * since; so it says where to go on.
     *
     * @return the slot to begin with, {@link #count} if it has none from the fence on, or {@link
     *     #NO_LEAF} if this leaf is the last
     */
    public int nextLeaf() {
        if (!NodeLayout.hasUpper(copy, 0)) {
            return NO_LEAF;
        }
        int length = NodeLayout.upperFenceLength(copy, 0);
        PageMemory.copyOut(copy, NodeLayout.upperFence(copy, 0), fence, 0, length);
        load(TreeDescent.FOR_KEY, fence, length);
        return slotOf(fence, length);
    }

    /** Copies the bound above the leaf's keys and returns its length; -1 if it is the last leaf. */
    public int upperFence(byte[] target) {
        if (!NodeLayout.hasUpper(copy, 0)) {
            return -1;
        }
        int length = NodeLayout.upperFenceLength(copy, 0);
        PageMemory.copyOut(copy, NodeLayout.upperFence(copy, 0), target, 0, length);
        return length;
    }

    /** Copies the bound that no key is below and returns its length; -1 if it is the first leaf. */
    public int lowerFence(byte[] target) {
        if (!NodeLayout.hasLower(copy, 0)) {
            return -1;
        }
        int length = NodeLayout.lowerFenceLength(copy, 0);
        PageMemory.copyOut(copy, NodeLayout.lowerFence(copy, 0), target, 0, length);
        return length;
    }

    /** Lets the next load, and that one only, come back with the leaf held shared. */
    public void latchNext() {
        latchNext = true;
    }

    /** Gives the latch up if there is one; the copy stays. */
    public void release() {
        position.release();
    }

    /** Whether the leaf in the pool is still what was copied; always, while it is latched. */
    public boolean stillValid() {
        return frame >= 0 && tree.pool().validate(frame, version);
    }

    public long pageId() {
        return pageId;
    }

    /** The frame that the leaf was copied from; with {@link #version} for a later validation. */
    public int frame() {
        return frame;
    }

    public long version() {
        return version;
    }

    public int count() {
        return NodeLayout.slotCount(copy, 0);
    }

    /** The copy; records are read from it by {@link LeafRecord}. */
    public ByteBuffer chunk() {
        return copy;
    }

    /** Offset of a slot's record in {@link #chunk}. */
    public int record(int slot) {
        return NodeLayout.recordAt(copy, 0, slot);
    }

    public int recordLength(int slot) {
        return NodeLayout.recordLength(copy, 0, slot);
    }

    public int keyLength(int slot) {
        return NodeLayout.prefixLength(copy, 0) + LeafRecord.suffixLength(copy, record(slot));
    }

    /** Copies a slot's whole key and returns its length; the target holds the longest key. */
    public int key(int slot, byte[] target) {
        return NodeEdit.keyOf(copy, 0, slot, target);
    }

    /** Compares a slot's key with another, as {@link PageMemory#compare}. */
    public int compareKey(int slot, byte[] key, int keyLength) {
        int prefix = NodeLayout.prefixLength(copy, 0);
        int order =
                PageMemory.compare(
                        copy,
                        NodeLayout.lowerFence(copy, 0),
                        prefix,
                        key,
                        0,
                        Math.min(prefix, keyLength));
        if (order != 0) {
            return order;
        }
        int record = record(slot);
        return PageMemory.compare(
                copy,
                LeafRecord.suffixAt(copy, record),
                LeafRecord.suffixLength(copy, record),
                key,
                prefix,
                keyLength - prefix);
    }

    private int slotOf(byte[] key, int keyLength) {
        try {
            int found = NodeSearch.leaf(copy, 0, key, keyLength);
            return found >= 0 ? found : -1 - found;
        } catch (RuntimeException damaged) {
            release();
            throw damaged;
        }
    }

    private void load(int which, byte[] key, int keyLength) {
        frame = -1;
        boolean keepsLatch = latchNext;
        latchNext = false;
        while (true) {
            if (keepsLatch) {
                position.release();
                tree.descent().latchedByWish(0, which, key, keyLength, position);
            } else {
                tree.descent().to(0, which, key, keyLength, position);
            }
            try {
                copyPage();
            } catch (IndexOutOfBoundsException torn) {
                if (position.isLatched()) {
                    position.release();
                    throw TreeCorruption.unreadable(position.pageId(), torn);
                }
                continue;
            }
            if (position.validate()) {
                break;
            }
            tree.descent().countRestart();
        }
        finishLoad();
        if (!covers(which, key, keyLength)) {
            position.release();
            throw TreeCorruption.of(
                    pageId,
                    "B9 fences around the key that led here",
                    describeFences(key, keyLength));
        }
        if (!keepsLatch) {
            position.release();
        }
    }

    /**
     * Whether the leaf's fences are about what it was sought for. A cursor goes on from fence to
     * fence; in a tree of pages that are sound each, but not of one time, it might do so for ever.
     */
    private boolean covers(int which, byte[] key, int keyLength) {
        if (which == TreeDescent.LAST) {
            return !NodeLayout.hasUpper(copy, 0);
        }
        boolean isBelow = which == TreeDescent.BELOW_KEY;
        if (NodeLayout.hasLower(copy, 0)) {
            int lower = compareLower(key, keyLength);
            if (lower > 0 || (lower == 0 && isBelow)) {
                return false;
            }
        }
        if (NodeLayout.hasUpper(copy, 0)) {
            int upper = compareUpper(key, keyLength);
            return upper > 0 || (upper == 0 && isBelow);
        }
        return true;
    }

    private int compareLower(byte[] key, int keyLength) {
        int length = NodeLayout.lowerFenceLength(copy, 0);
        return PageMemory.compare(copy, NodeLayout.lowerFence(copy, 0), length, key, 0, keyLength);
    }

    private int compareUpper(byte[] key, int keyLength) {
        int length = NodeLayout.upperFenceLength(copy, 0);
        return PageMemory.compare(copy, NodeLayout.upperFence(copy, 0), length, key, 0, keyLength);
    }

    private String describeFences(byte[] key, int keyLength) {
        byte[] target = new byte[fence.length];
        int lower = lowerFence(target);
        String from = lower < 0 ? "none" : hex(target, lower);
        int upper = upperFence(target);
        String to = upper < 0 ? "none" : hex(target, upper);
        return "lowerFence=" + from + ", upperFence=" + to + ", key=" + hex(key, keyLength);
    }

    private static String hex(byte[] bytes, int length) {
        int shown = Math.min(length, HEX_BYTES_MAX);
        return HexFormat.of().formatHex(bytes, 0, shown) + (shown < length ? "…" : "");
    }

    private void finishLoad() {
        frame = position.frame();
        pageId = position.pageId();
        version =
                position.isLatched() ? tree.pool().tryOptimisticVersion(frame) : position.version();
        tree.counters().increment(Counter.CURSOR_LEAVES);
        if (ahead != null) {
            ahead.arrived(PageId.pageNumber(pageId), position.leafWasMissing());
            position.looksAhead(null, null);
        }
    }

    private void copyPage() {
        ByteBuffer chunk = position.chunk();
        int page = position.page();
        int slotsEnd = NodeLayout.slotAt(0, NodeLayout.slotCount(chunk, page));
        int heapTop = NodeLayout.heapTop(chunk, page);
        if (slotsEnd > heapTop || heapTop > pageBytes) {
            throw new IndexOutOfBoundsException(heapTop);
        }
        PageMemory.copy(chunk, page, copy, 0, slotsEnd);
        PageMemory.copy(chunk, page + heapTop, copy, heapTop, pageBytes - heapTop);
    }
}
