// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

/**
 * The two ways to number the redo stream, and the pure function between them.
 *
 * <p>A <em>payload position</em> counts the bytes that groups and padding occupy; it is what append
 * adds to. An <em>LSN</em> is the byte position in the stream of blocks, headers included; it is
 * what everything outside this package speaks. LSN 0 is nobody's.
 */
public final class Lsn {
    /*
     * Padding counts as payload. So the LSN of a position depends on nothing but the position, no
     * matter which syncs padded where (P3). The position where a block ends is the position where
     * the next one begins, and its LSN is the one behind that block's header.
     */

    public static final int BLOCK_BYTES = 4096;

    /** Payload bytes in a block. */
    public static final int PAYLOAD = BLOCK_BYTES - BlockHeader.BYTES;

    /** What the start of every group is a multiple of, as a payload position. */
    public static final int ALIGNMENT = 16;

    /** Where the first group of a new store begins. */
    public static final long FIRST_POSITION = PAYLOAD;

    static {
        assert PAYLOAD % ALIGNMENT == 0 : "no header of a group crosses a block border";
        assert GroupHeader.BYTES == ALIGNMENT : "each group starts in a granule of its own";
    }

    private Lsn() {}

    /** The LSN of a payload position. */
    public static long fromPayload(long position) {
        long block = position / PAYLOAD;
        return block * BLOCK_BYTES + BlockHeader.BYTES + (position - block * PAYLOAD);
    }

    /** The payload position of an LSN; one that points into a block header has none. */
    public static long toPayload(long lsn) {
        long within = lsn % BLOCK_BYTES;
        assert within >= BlockHeader.BYTES : "lsn points into a block header: lsn=" + lsn;

        return lsn / BLOCK_BYTES * PAYLOAD + within - BlockHeader.BYTES;
    }

    /** Whether a number can be the LSN of a position that a group may start or end at. */
    public static boolean isPlausible(long lsn) {
        long within = lsn % BLOCK_BYTES;
        return lsn >= fromPayload(FIRST_POSITION)
                && within >= BlockHeader.BYTES
                && (within - BlockHeader.BYTES) % ALIGNMENT == 0;
    }

    /** The LSN at which a group ends that was reserved at a position. */
    public static long endOfGroup(long startPosition, int groupBytes) {
        return fromPayload(startPosition + aligned(groupBytes));
    }

    /** The bytes that a group occupies in the stream. */
    public static int aligned(int groupBytes) {
        return groupBytes + (ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The position of the next block border; the position itself if it is one. */
    static long borderAtOrAfter(long position) {
        return (position + PAYLOAD - 1) / PAYLOAD * PAYLOAD;
    }
}
