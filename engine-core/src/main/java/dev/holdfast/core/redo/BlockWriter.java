// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes blocks of what the ring holds and writes them. Used by the leader alone, who passes it on
 * by a volatile word.
 */
final class BlockWriter {
    /*
     * Full blocks are sealed and written where they lie in the ring: nobody copies into them any
     * more. The last one, if it is not full, is written from a private copy with a zeroed rest,
     * since appenders copy into its rest meanwhile; it stays in the ring and is written again, with
     * more, by whoever leads next (P3). A block never has two writes in flight, as one thread leads
     * and its writes have returned before it passes the lead on.
     */
    private final LogRing ring;
    private final RedoSegments segments;
    private final BlockHeader.Identity identity;
    private final Counters counters;
    private final ByteBuffer view;
    private final ByteBuffer tail = AlignedBuffers.allocate(Lsn.BLOCK_BYTES);

    /** Where the first group begins in the block that holds the written position. */
    private int firstGroup = BlockHeader.NO_GROUP;

    BlockWriter(
            LogRing ring, RedoSegments segments, BlockHeader.Identity identity, Counters counters) {
        this.ring = ring;
        this.segments = segments;
        this.identity = identity;
        this.counters = counters;
        view = ring.chunk().duplicate();
    }

    /**
     * Writes a closed part of the stream.
     *
     * @param from up to where it was written before; a group or a block begins there
     * @param to the new end; a group or a padding ends there
     * @param durableThrough the proof that goes into the headers
     * @param checkpointLsn what must not be overwritten
     */
    void write(long from, long to, long durableThrough, long checkpointLsn) throws IOException {
        assert from <= to : "from=" + from + ", to=" + to;

        long firstBlock = from / Lsn.PAYLOAD;
        long lastBlock = (to - 1) / Lsn.PAYLOAD;
        Invariants.check(
                lastBlock - checkpointLsn / Lsn.BLOCK_BYTES < segments.layout().totalBlocks(),
                "the log does not overwrite what recovery needs",
                checkpointLsn,
                lastBlock * Lsn.BLOCK_BYTES);

        long endOfFull = to / Lsn.PAYLOAD;
        sealFull(from, to, durableThrough);
        writeFull(firstBlock, endOfFull);
        int within = (int) (to - endOfFull * Lsn.PAYLOAD);
        if (within > 0) {
            writeTail(endOfFull, within, durableThrough);
        }
        counters.add(Counter.LOG_BLOCKS_WRITTEN, lastBlock - firstBlock + 1);
    }

    /** Walks the groups to find where each block's first one begins, and seals the full blocks. */
    private void sealFull(long from, long to, long durableThrough) {
        long block = from / Lsn.PAYLOAD;
        long position = from;
        int groups = 0;
        while (position < to) {
            long startBlock = position / Lsn.PAYLOAD;
            block = sealUpTo(block, startBlock, durableThrough);
            int groupBytes = ring.groupBytesAt(position);
            if (groupBytes == GroupHeader.PADDING) {
                position = (startBlock + 1) * Lsn.PAYLOAD;
            } else {
                if (firstGroup == BlockHeader.NO_GROUP) {
                    firstGroup = (int) (position - startBlock * Lsn.PAYLOAD);
                }
                position += Lsn.aligned(groupBytes);
                groups++;
            }
        }
        Invariants.check(position == to, "a group ends where the write ends", position, to);
        sealUpTo(block, to / Lsn.PAYLOAD, durableThrough);
        counters.add(Counter.LOG_GROUPS_WRITTEN, groups);
    }

    private long sealUpTo(long from, long end, long durableThrough) {
        long block = from;
        while (block < end) {
            int offset = ring.blockOffset(block);
            seal(ring.chunk(), offset, block, durableThrough, Lsn.PAYLOAD);
            firstGroup = BlockHeader.NO_GROUP;
            block++;
        }
        return block;
    }

    private void seal(
            ByteBuffer chunk, int offset, long block, long durableThrough, int dataLength) {
        long blockLsn = block * Lsn.BLOCK_BYTES;
        BlockHeader.seal(chunk, offset, identity, blockLsn, durableThrough, dataLength, firstGroup);
    }

    private void writeFull(long firstBlock, long endBlock) throws IOException {
        long block = firstBlock;
        while (block < endBlock) {
            long count =
                    Math.min(
                            endBlock - block,
                            Math.min(
                                    ring.blocksToWrap(block),
                                    segments.layout().blocksToSegmentEnd(block)));
            int offset = ring.blockOffset(block);
            view.limit(offset + (int) count * Lsn.BLOCK_BYTES).position(offset);
            segments.write(block, view);
            counters.increment(Counter.LOG_WRITES);
            block += count;
        }
    }

    private void writeTail(long block, int dataLength, long durableThrough) throws IOException {
        int source = ring.blockOffset(block) + BlockHeader.BYTES;
        PageMemory.copy(ring.chunk(), source, tail, BlockHeader.BYTES, dataLength);
        PageMemory.fill(tail, BlockHeader.BYTES + dataLength, Lsn.PAYLOAD - dataLength, (byte) 0);
        seal(tail, 0, block, durableThrough, dataLength);
        segments.write(block, tail.clear());
        counters.increment(Counter.LOG_WRITES);
    }

    /** Makes durable all that was written. */
    void sync() throws IOException {
        segments.syncTouched();
        counters.increment(Counter.LOG_SYNCS);
    }

    boolean needsSync() {
        return segments.isTouched();
    }
}
