// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.LongConsumer;

/**
 * Walks a whole tree that nobody changes meanwhile, its overflow chains too, and reports what is
 * wrong (B1 to B11); goes on after a finding where it can. Needs one page of memory a level.
 */
public final class TreeCheck {
    /** No tree is higher: 4 KiB pages hold at least three children each. */
    private static final int LEVELS_MAX = 32;

    private final BTree tree;
    private final BufferPool pool;
    private final int pageBytes;
    private final TreeFindings findings;
    private final LongConsumer ownedPages;
    private final ByteBuffer[] pages = new ByteBuffer[LEVELS_MAX + 1];
    private long records;
    private long leaves;

    /**
     * Prepares a walk.
     *
     * @param ownedPages told of each page that the tree owns, each time it is met
     */
    public TreeCheck(BTree tree, TreeFindings findings, LongConsumer ownedPages) {
        this.tree = tree;
        this.pool = tree.pool();
        this.pageBytes = tree.pageBytes();
        this.findings = findings;
        this.ownedPages = ownedPages;
    }

    /** Walks the tree. <b>Latches:</b> none held. */
    public void run() {
        ByteBuffer root = ByteBuffer.allocateDirect(pageBytes);
        if (!copy(tree.rootPageId(), root)) {
            return;
        }
        int level = NodeLayout.level(root, 0);
        if (level > LEVELS_MAX) {
            findings.found(
                    tree.rootPageId(), "B8", "level", "0.." + LEVELS_MAX, Integer.toString(level));
            return;
        }
        visit(tree.rootPageId(), level, null, null);
    }

    /** Records met, deleted ones among them. */
    public long records() {
        return records;
    }

    public long leaves() {
        return leaves;
    }

    private void visit(long pageId, int level, byte[] lower, byte[] upper) {
        ownedPages.accept(pageId);
        ByteBuffer page = pageOf(level);
        if (!copy(pageId, page) || !isExpected(pageId, page, level)) {
            return;
        }
        if (!NodeCheck.check(page, 0, pageBytes, pageId, findings)) {
            return;
        }
        checkFence(pageId, "lower", lower, fence(page, true));
        checkFence(pageId, "upper", upper, fence(page, false));
        if (level == 0) {
            visitLeaf(pageId, page);
            return;
        }
        int count = NodeLayout.slotCount(page, 0);
        byte[] from = lower;
        for (int position = 0; position <= count; position++) {
            byte[] to = position == count ? upper : separator(page, position);
            int child = InnerRecord.childAt(page, 0, position);
            visit(PageId.of(tree.spaceId(), child), level - 1, from, to);
            from = to;
        }
    }

    private ByteBuffer pageOf(int level) {
        if (pages[level] == null) {
            pages[level] = ByteBuffer.allocateDirect(pageBytes);
        }
        return pages[level];
    }

    private boolean copy(long pageId, ByteBuffer target) {
        int frame;
        try {
            frame = pool.fixShared(pageId);
        } catch (CorruptionException damaged) {
            findings.found(pageId, "B8", "page", damaged.expected(), damaged.found());
            return false;
        }
        try {
            PageMemory.copy(pool.chunk(frame), pool.offset(frame), target, 0, pageBytes);
        } finally {
            pool.unfixShared(frame);
        }
        return true;
    }

    private boolean isExpected(long pageId, ByteBuffer page, int level) {
        if (tree.descent().isNode(page, 0, level)) {
            return true;
        }
        findings.found(
                pageId,
                "B8",
                "tree and level",
                "tree=" + tree.treeId() + ", level=" + level,
                "tree=" + NodeLayout.treeId(page, 0) + ", level=" + NodeLayout.level(page, 0));
        return false;
    }

    private void checkFence(long pageId, String which, byte[] expected, byte[] found) {
        if (!Arrays.equals(expected, found)) {
            findings.found(pageId, "B9", which + " fence", text(expected), text(found));
        }
    }

    private static String text(byte[] key) {
        return key == null ? "none" : HexFormat.of().formatHex(key);
    }

    private static byte[] fence(ByteBuffer page, boolean isLower) {
        boolean has = isLower ? NodeLayout.hasLower(page, 0) : NodeLayout.hasUpper(page, 0);
        if (!has) {
            return null;
        }
        int at = isLower ? NodeLayout.lowerFence(page, 0) : NodeLayout.upperFence(page, 0);
        byte[] key =
                new byte
                        [isLower
                                ? NodeLayout.lowerFenceLength(page, 0)
                                : NodeLayout.upperFenceLength(page, 0)];
        PageMemory.copyOut(page, at, key, 0, key.length);
        return key;
    }

    private byte[] separator(ByteBuffer page, int slot) {
        byte[] key = new byte[TreeLimits.keyBytesMax(pageBytes)];
        int length = NodeEdit.keyOf(page, 0, slot, key);
        return Arrays.copyOf(key, length);
    }

    private void visitLeaf(long pageId, ByteBuffer page) {
        leaves++;
        int count = NodeLayout.slotCount(page, 0);
        records += count;
        for (int slot = 0; slot < count; slot++) {
            int record = NodeLayout.recordAt(page, 0, slot);
            if (LeafRecord.isOverflow(page, record)) {
                int pointer = LeafRecord.valueAt(page, record);
                if (OverflowPointer.reserved(page, pointer) != 0) {
                    findings.found(pageId, "B10", "reserved part of a pointer", "0", "another");
                }
                visitChain(
                        OverflowPointer.headPage(page, pointer),
                        OverflowPointer.totalLength(page, pointer));
            }
        }
    }

    private void visitChain(int head, int totalLength) {
        int number = head;
        int rest = totalLength;
        int pageCount = OverflowLayout.pageCount(pageBytes, totalLength);
        ByteBuffer page = pageOf(LEVELS_MAX);
        for (int sequence = 0; sequence < pageCount; sequence++) {
            long pageId = PageId.of(tree.spaceId(), number);
            ownedPages.accept(pageId);
            if (!copy(pageId, page)) {
                return;
            }
            int part = Math.min(OverflowLayout.capacity(pageBytes), rest);
            number = OverflowLayout.next(page, 0);
            boolean isLast = sequence == pageCount - 1;
            if (!OverflowStore.isPart(page, 0, tree.treeId(), sequence, part)
                    || isLast != (number == OverflowLayout.NO_NEXT)) {
                findings.found(
                        pageId,
                        "B11",
                        "overflow page",
                        "sequence=" + sequence + ", length=" + part + ", last=" + isLast,
                        "sequence="
                                + OverflowLayout.sequence(page, 0)
                                + ", length="
                                + OverflowLayout.dataLength(page, 0)
                                + ", next="
                                + Integer.toUnsignedString(number));
                return;
            }
            rest -= part;
        }
    }
}
