// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import java.util.Locale;

/**
 * How the log is cut into segment files: which file and position each block of the stream has.
 *
 * @param segmentCount how many files are used in turn
 * @param segmentBytes the length of each, its header block included
 */
public record RedoLayout(int segmentCount, long segmentBytes) {
    /** The subdirectory of the segments. */
    public static final String DIRECTORY = "redo";

    private static final int SEGMENTS = 4;
    private static final int SEGMENTS_MAX = 1000;
    private static final long SEGMENT_BYTES_MAX = 1L << 40;

    /** Checks that the numbers can be a layout. */
    public RedoLayout {
        if (!isLegal(segmentCount, segmentBytes)) {
            throw new IllegalArgumentException(
                    "not a layout of the log: segmentCount="
                            + segmentCount
                            + ", segmentBytes="
                            + segmentBytes);
        }
    }

    static boolean isLegal(int segmentCount, long segmentBytes) {
        return segmentCount >= 1
                && segmentCount <= SEGMENTS_MAX
                && segmentBytes >= 2 * Lsn.BLOCK_BYTES
                && segmentBytes <= SEGMENT_BYTES_MAX
                && segmentBytes % Lsn.BLOCK_BYTES == 0;
    }

    /** The layout of a new log; its blocks hold at least {@code capacityBytes}. */
    public static RedoLayout ofCapacity(long capacityBytes) {
        long perSegment = (capacityBytes + SEGMENTS - 1) / SEGMENTS;
        long blocks = (perSegment + Lsn.BLOCK_BYTES - 1) / Lsn.BLOCK_BYTES;
        return new RedoLayout(SEGMENTS, (blocks + 1) * Lsn.BLOCK_BYTES);
    }

    public long blocksPerSegment() {
        return segmentBytes / Lsn.BLOCK_BYTES - 1;
    }

    public long totalBlocks() {
        return segmentCount * blocksPerSegment();
    }

    /** How far the stream can reach beyond its oldest needed byte, block headers included. */
    public long capacityBytes() {
        return totalBlocks() * Lsn.BLOCK_BYTES;
    }

    /** Which segment a block is in; a block's number is its LSN divided by its length. */
    int segmentOf(long block) {
        return (int) (block % totalBlocks() / blocksPerSegment());
    }

    /** Where in its segment a block is. */
    long positionOf(long block) {
        return (1 + block % totalBlocks() % blocksPerSegment()) * Lsn.BLOCK_BYTES;
    }

    /** How many blocks from this one on, itself included, follow each other in its segment. */
    long blocksToSegmentEnd(long block) {
        return blocksPerSegment() - block % totalBlocks() % blocksPerSegment();
    }

    /** The name of a segment. */
    static String fileName(int segment) {
        return String.format(Locale.ROOT, "%s/%03d.hfl", DIRECTORY, segment);
    }
}
