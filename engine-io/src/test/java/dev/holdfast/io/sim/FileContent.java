// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The bytes and the length of a file at one moment; cheap to copy.
 *
 * <p>Outside of {@link #writeData} and {@link #cut} there is nothing but zeros behind the length.
 */
final class FileContent {
    private final BlockMap blocks;
    private long length;

    FileContent() {
        this(new BlockMap(), 0);
    }

    private FileContent(BlockMap blocks, long length) {
        this.blocks = blocks;
        this.length = length;
    }

    FileContent copy() {
        return new FileContent(blocks.copy(), length);
    }

    long length() {
        return length;
    }

    int allocatedCount() {
        return blocks.allocatedCount();
    }

    boolean isAllocated(long blockNumber) {
        return blocks.get(blockNumber) != null;
    }

    /** Fills the target from there; all of it must lie before the length. */
    void read(long position, ByteBuffer target) {
        assert position + target.remaining() <= length
                : "position=" + position + ", length=" + length;

        long at = position;
        while (target.hasRemaining()) {
            int within = (int) (at & Block.BYTES - 1);
            int count = Math.min(Block.BYTES - within, target.remaining());
            Block block = blocks.get(at / Block.BYTES);
            target.put((block == null ? Block.ZERO : block).bytes, within, count);
            at += count;
        }
    }

    void write(Write write) {
        writeData(write);
        growTo(write.end());
    }

    /** Writes all bytes without touching the length; {@link #growTo} or {@link #cut} follows. */
    void writeData(Write write) {
        for (int i = 0; i < write.pieceCount(); i++) {
            put(write, i);
        }
    }

    /**
     * Writes some sectors without touching the length; {@link #cut} must follow.
     *
     * @param kept the sectors that arrive, counted from the first that the write touches
     * @param garbage those that arrive as noise instead; only bytes of the write itself suffer
     */
    void writeData(Write write, int sectorBytes, BitSet kept, BitSet garbage, SeededRandom noise) {
        int sectors = write.sectorCount(sectorBytes);
        if (garbage.isEmpty() && kept.nextClearBit(0) >= sectors) {
            writeData(write);
            return;
        }
        long firstSector = write.position() / sectorBytes;
        for (int i = 0; i < write.pieceCount(); i++) {
            byte[] piece = write.piece(i).bytes;
            long pieceStart = (write.firstBlockNumber() + i) * Block.BYTES + write.pieceOffset(i);
            byte[] merged = null;
            for (int from = 0; from < piece.length; ) {
                long at = pieceStart + from;
                int sector = (int) (at / sectorBytes - firstSector);
                int count = (int) Math.min(sectorBytes - at % sectorBytes, piece.length - from);
                if (kept.get(sector) || garbage.get(sector)) {
                    merged = merged == null ? bytesOf(write.firstBlockNumber() + i) : merged;
                    int within = write.pieceOffset(i) + from;
                    if (garbage.get(sector)) {
                        noise.fill(merged, within, within + count);
                    } else {
                        System.arraycopy(piece, from, merged, within, count);
                    }
                }
                from += count;
            }
            if (merged != null) {
                blocks.put(write.firstBlockNumber() + i, Block.of(merged));
            }
        }
    }

    void growTo(long newLength) {
        length = Math.max(length, newLength);
    }

    /** Sets the length; what lay behind a shorter one is gone. */
    void truncate(long newLength) {
        length = newLength;
        cut();
    }

    /** Removes what lies behind the length. */
    void cut() {
        int within = (int) (length & Block.BYTES - 1);
        long edge = length / Block.BYTES;
        if (within > 0 && blocks.get(edge) != null) {
            byte[] tail = bytesOf(edge);
            Arrays.fill(tail, within, Block.BYTES, (byte) 0);
            blocks.put(edge, Block.of(tail));
        }
        blocks.removeFrom(within > 0 ? edge + 1 : edge);
    }

    long hash() {
        return blocks.hash() ^ SeededRandom.mix(length + 1);
    }

    private void put(Write write, int index) {
        Block piece = write.piece(index);
        long blockNumber = write.firstBlockNumber() + index;
        if (piece.isFull()) {
            blocks.put(blockNumber, piece);
            return;
        }
        byte[] merged = bytesOf(blockNumber);
        System.arraycopy(piece.bytes, 0, merged, write.pieceOffset(index), piece.bytes.length);
        blocks.put(blockNumber, Block.of(merged));
    }

    private byte[] bytesOf(long blockNumber) {
        Block block = blocks.get(blockNumber);
        return block == null ? new byte[Block.BYTES] : block.bytes.clone();
    }
}
