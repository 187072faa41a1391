// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.page.PageId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * From page id to frame: per space an array of blocks of 4096 entries. A lookup takes no latch and
 * writes nothing.
 */
final class Translation {
    /*
     * Three array reads: space, block, entry. Arrays of references grow by copy under the monitor,
     * which covers no wait and no IO; a block, once made, is never replaced, so an entry has one
     * place for good and changes by CAS alone. Entries hold frame + 1, so that zeroed memory means
     * "not in the pool".
     *
     * Space ids are never reused and may become large; so spaces lie in groups of 1024.
     *
     * A hash table was the alternative: a lookup through its latch or its chain was measured at
     * 440 ns against 250 ns for a whole descent.
     */
    private static final int BLOCK_SHIFT = 12;
    private static final int BLOCK_ENTRIES = 1 << BLOCK_SHIFT;
    private static final int GROUP_SHIFT = 10;
    private static final int GROUP_SPACES = 1 << GROUP_SHIFT;

    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle BLOCK = MethodHandles.arrayElementVarHandle(int[][].class);
    private static final VarHandle ROOT = MethodHandles.arrayElementVarHandle(int[][][].class);

    /** Group, space, block, entry. Replaced when it grows; read with acquire at every level. */
    private volatile int[][][][] groups = new int[1][GROUP_SPACES][][];

    /** The frame that the page is mapped to, or {@link FrameTable#NONE}. */
    int find(long pageId) {
        int[] block = block(pageId);
        if (block == null) {
            return FrameTable.NONE;
        }
        // Acquire; pairs with the CAS in map: the frame's line is seen as the mapper left it.
        return (int) ENTRY.getAcquire(block, (int) pageId & BLOCK_ENTRIES - 1) - 1;
    }

    /** Maps the page to the frame unless it is mapped; makes room for the entry if needed. */
    boolean map(long pageId, int frame) {
        prepare(pageId);
        return ENTRY.compareAndSet(block(pageId), (int) pageId & BLOCK_ENTRIES - 1, 0, frame + 1);
    }

    /** Ends the mapping of the page to this frame; false if there was none. */
    boolean unmap(long pageId, int frame) {
        return ENTRY.compareAndSet(block(pageId), (int) pageId & BLOCK_ENTRIES - 1, frame + 1, 0);
    }

    /** Makes room for the page's entry, so that {@link #map} allocates nothing. */
    void prepare(long pageId) {
        if (block(pageId) == null) {
            grow(PageId.spaceId(pageId), PageId.pageNumber(pageId) >>> BLOCK_SHIFT);
        }
    }

    private int[] block(long pageId) {
        int[][][][] all = groups;
        int spaceId = PageId.spaceId(pageId);
        int group = spaceId >>> GROUP_SHIFT;
        if (group >= all.length || all[group] == null) {
            return null;
        }
        int[][] root = (int[][]) ROOT.getAcquire(all[group], spaceId & GROUP_SPACES - 1);
        int block = PageId.pageNumber(pageId) >>> BLOCK_SHIFT;
        return root == null || block >= root.length ? null : (int[]) BLOCK.getAcquire(root, block);
    }

    private synchronized void grow(int spaceId, int block) {
        int group = spaceId >>> GROUP_SHIFT;
        int[][][][] all = groups;
        if (group >= all.length || all[group] == null) {
            all = Arrays.copyOf(all, Math.max(all.length, group + 1));
            all[group] = new int[GROUP_SPACES][][];
            groups = all;
        }
        int inGroup = spaceId & GROUP_SPACES - 1;
        int[][] root = all[group][inGroup];
        if (root == null || block >= root.length) {
            int length = root == null ? block + 1 : Math.max(block + 1, 2 * root.length);
            root = root == null ? new int[length][] : Arrays.copyOf(root, length);
            if (root[block] == null) {
                root[block] = new int[BLOCK_ENTRIES];
            }
            ROOT.setRelease(all[group], inGroup, root);
        } else if (root[block] == null) {
            BLOCK.setRelease(root, block, new int[BLOCK_ENTRIES]);
        }
    }
}
