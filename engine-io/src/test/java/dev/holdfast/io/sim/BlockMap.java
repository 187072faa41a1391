// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.Arrays;

/**
 * A sparse table from block number to {@link Block} that is cheap to copy.
 *
 * <p>Not safe for use by several threads while one changes it; a copy that nobody changes may be
 * copied by many at once.
 */
final class BlockMap {
    /*
     * Two levels. A leaf belongs to the map whose token it bears and is changed in place by that
     * map alone; copying takes the token away from both maps, so that each copies a leaf before it
     * first changes it. A copy therefore costs one reference per 256 KiB of file, and a change one
     * leaf of 64 references. A fresh copy has no token, so copying it again writes nothing to it.
     */
    private static final int LEAF_SHIFT = 6;
    private static final int LEAF_BLOCKS = 1 << LEAF_SHIFT;

    private Leaf[] leaves;
    private Object token;
    private int allocatedCount;

    BlockMap() {
        this(new Leaf[4], 0);
    }

    private BlockMap(Leaf[] leaves, int allocatedCount) {
        this.leaves = leaves;
        this.allocatedCount = allocatedCount;
    }

    BlockMap copy() {
        if (token != null) {
            token = null;
        }
        return new BlockMap(leaves.clone(), allocatedCount);
    }

    /** The block of that number, null for a hole. */
    Block get(long blockNumber) {
        int leafIndex = (int) (blockNumber >>> LEAF_SHIFT);
        if (leafIndex >= leaves.length || leaves[leafIndex] == null) {
            return null;
        }
        return leaves[leafIndex].blocks[(int) blockNumber & LEAF_BLOCKS - 1];
    }

    void put(long blockNumber, Block block) {
        assert block.isFull() : "length=" + block.bytes.length;

        Leaf leaf = ownLeaf(Math.toIntExact(blockNumber >>> LEAF_SHIFT));
        int index = (int) blockNumber & LEAF_BLOCKS - 1;
        if (leaf.blocks[index] == null) {
            allocatedCount++;
        }
        leaf.blocks[index] = block;
    }

    /** Makes holes of that block and all behind it. */
    void removeFrom(long blockNumber) {
        int leafIndex = (int) Math.min(blockNumber >>> LEAF_SHIFT, leaves.length);
        if (leafIndex == leaves.length) {
            return;
        }
        int kept = (int) blockNumber & LEAF_BLOCKS - 1;
        if (kept > 0 && leaves[leafIndex] != null) {
            Leaf leaf = ownLeaf(leafIndex);
            allocatedCount -= leaf.count(kept);
            Arrays.fill(leaf.blocks, kept, LEAF_BLOCKS, null);
        }
        for (int i = kept > 0 ? leafIndex + 1 : leafIndex; i < leaves.length; i++) {
            if (leaves[i] != null) {
                allocatedCount -= leaves[i].count(0);
                leaves[i] = null;
            }
        }
    }

    /** Blocks that are no holes. */
    int allocatedCount() {
        return allocatedCount;
    }

    long hash() {
        long sum = 0;
        for (int i = 0; i < leaves.length; i++) {
            if (leaves[i] != null) {
                sum += leaves[i].hash((long) i << LEAF_SHIFT);
            }
        }
        return sum;
    }

    private Leaf ownLeaf(int leafIndex) {
        if (token == null) {
            token = new Object();
        }
        if (leafIndex >= leaves.length) {
            leaves = Arrays.copyOf(leaves, Math.max(leafIndex + 1, leaves.length * 2));
        }
        Leaf leaf = leaves[leafIndex];
        if (leaf == null) {
            leaf = new Leaf(token, new Block[LEAF_BLOCKS]);
            leaves[leafIndex] = leaf;
        } else if (leaf.owner != token) {
            leaf = new Leaf(token, leaf.blocks.clone());
            leaves[leafIndex] = leaf;
        }
        return leaf;
    }

    private static final class Leaf {
        final Object owner;
        final Block[] blocks;

        Leaf(Object owner, Block[] blocks) {
            this.owner = owner;
            this.blocks = blocks;
        }

        int count(int from) {
            int count = 0;
            for (int i = from; i < LEAF_BLOCKS; i++) {
                if (blocks[i] != null) {
                    count++;
                }
            }
            return count;
        }

        long hash(long firstBlockNumber) {
            long sum = 0;
            for (int i = 0; i < LEAF_BLOCKS; i++) {
                long blockHash = blocks[i] == null ? 0 : blocks[i].hash();
                if (blockHash != 0) {
                    sum += SeededRandom.mix(blockHash + SeededRandom.mix(firstBlockNumber + i + 1));
                }
            }
            return sum;
        }
    }
}
