// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.core.watch.Invariants;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.memory.PoolMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The log buffer: the newest blocks of the stream, and a ring of links from which the prefix
 * without a gap is found.
 */
final class LogRing implements AutoCloseable {
    /*
     * The ring holds whole blocks as they will be on disk, so the leader writes them from where
     * they are; an appender leaves out the headers when it copies, and the leader fills them in.
     *
     * A link stands for each group and each padding, in the granule of 16 bytes that it starts in:
     * the position where it ends. Who walks from the closed position reads the link there; a value
     * above the position is a published group, one that is not is left from a former lap, for the
     * slot is of this position and of those whole laps away from it. A value further than a group's
     * length above it was written after this walker fell a lap behind: then the closed position has
     * moved on, and it begins again there. Nobody unlinks anything.
     *
     *   appender                               walker
     *   copy the bytes (plain)                 read the link (acquire)
     *   write the link (release)               read the bytes (plain)
     *
     * A slot of the ring is free for the next lap once its block is full and written; an appender
     * learns that from the written position (volatile), which the leader stores after the write.
     */
    private static final VarHandle LINK = MethodHandles.arrayElementVarHandle(long[].class);

    /** Links a block: the granules of its payload, and those of the header, unused. */
    private static final int LINKS_SHIFT = 8;

    private final PoolMemory memory;
    private final ByteBuffer chunk;
    private final int blockMask;
    private final long[] links;
    private final long stepMax;
    private final LogWords words;

    LogRing(int ringBytes, int groupBytesMax, LogWords words) {
        memory = PoolMemory.allocate(ringBytes, Lsn.BLOCK_BYTES);
        chunk = memory.chunk(0);
        int blocks = ringBytes / Lsn.BLOCK_BYTES;
        blockMask = blocks - 1;
        links = new long[blocks << LINKS_SHIFT];
        stepMax = Math.max(Lsn.aligned(groupBytesMax), Lsn.PAYLOAD);
        this.words = words;
    }

    /**
     * Up to where blocks must have been written before bytes may be copied that end at a position.
     */
    long writtenNeeded(long endPosition) {
        long lastBlock = (endPosition - 1) / Lsn.PAYLOAD;
        return (lastBlock - blockMask) * Lsn.PAYLOAD;
    }

    /** Copies a group to where it was reserved; {@code count} is a multiple of 16. */
    void copy(long position, byte[] group, int count) {
        long at = position;
        int from = 0;
        while (from < count) {
            int within = (int) (at % Lsn.PAYLOAD);
            int part = Math.min(count - from, Lsn.PAYLOAD - within);
            PageMemory.copyIn(chunk, offsetOf(at), group, from, part);
            from += part;
            at += part;
        }
    }

    /** Zeros from a position to its block's end: padding. */
    void pad(long position) {
        int within = (int) (position % Lsn.PAYLOAD);
        PageMemory.fill(chunk, offsetOf(position), Lsn.PAYLOAD - within, (byte) 0);
    }

    /** Release; pairs with the acquire in {@link #closed}. Publishes the bytes in between. */
    void publish(long start, long end) {
        LINK.setRelease(links, linkOf(start), end);
    }

    /** The end of the prefix that has been published without a gap. */
    long closed() {
        long began = words.closed();
        long position = began;
        while (true) {
            long link = (long) LINK.getAcquire(links, linkOf(position));
            if (link <= position) {
                break;
            }
            if (link - position > stepMax) {
                position = words.closed();
            } else {
                position = link;
            }
        }
        if (position > began) {
            words.raiseClosed(position);
        }
        return position;
    }

    /**
     * The length of the group at a position that is closed; {@link GroupHeader#PADDING} if none.
     * What was published there must be what is there.
     */
    int groupBytesAt(long position) {
        int offset = offsetOf(position);
        long link = (long) LINK.getAcquire(links, linkOf(position));
        int groupBytes = PageMemory.getInt(chunk, offset + GroupHeader.GROUP_BYTES_OFFSET);
        if (groupBytes == GroupHeader.PADDING) {
            Invariants.check(
                    link == Lsn.borderAtOrAfter(position),
                    "padding in the ring was published as padding",
                    position,
                    link);
        } else {
            Invariants.check(
                    link == position + Lsn.aligned(groupBytes),
                    "a group in the ring was published with its length",
                    position,
                    groupBytes);
            long startLsn = PageMemory.getLong(chunk, offset + GroupHeader.START_LSN_OFFSET);
            Invariants.check(
                    startLsn == Lsn.fromPayload(position),
                    "start LSN of a group in the ring",
                    position,
                    startLsn);
        }
        return groupBytes;
    }

    ByteBuffer chunk() {
        return chunk;
    }

    /** Where a block of the stream is in the chunk. */
    int blockOffset(long block) {
        return (int) (block & blockMask) * Lsn.BLOCK_BYTES;
    }

    /** How many blocks from this one on follow each other in the chunk. */
    long blocksToWrap(long block) {
        return blockMask + 1 - (block & blockMask);
    }

    private int offsetOf(long position) {
        long block = position / Lsn.PAYLOAD;
        return blockOffset(block) + BlockHeader.BYTES + (int) (position - block * Lsn.PAYLOAD);
    }

    private int linkOf(long position) {
        long block = position / Lsn.PAYLOAD;
        int within = (int) (position - block * Lsn.PAYLOAD);
        return ((int) (block & blockMask) << LINKS_SHIFT) + within / Lsn.ALIGNMENT;
    }

    /** Nobody may use the ring any more. */
    @Override
    public void close() {
        memory.close();
    }
}
