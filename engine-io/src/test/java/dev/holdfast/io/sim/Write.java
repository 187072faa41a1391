// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of one write and where they go, cut at block borders so that whole blocks can be shared
 * and never need to be copied again.
 */
final class Write {
    private final long position;
    private final int length;
    private final Block[] pieces;

    private Write(long position, int length, Block[] pieces) {
        this.position = position;
        this.length = length;
        this.pieces = pieces;
    }

    /** Copies the next {@code length} bytes of the source, whose position advances. */
    static Write of(long position, ByteBuffer source, int length) {
        Block[] pieces = new Block[pieceCount(position, length)];
        int within = (int) (position & Block.BYTES - 1);
        int remaining = length;
        for (int i = 0; i < pieces.length; i++) {
            byte[] bytes = new byte[Math.min(Block.BYTES - within, remaining)];
            source.get(bytes);
            pieces[i] = Block.of(bytes);
            remaining -= bytes.length;
            within = 0;
        }
        return new Write(position, length, pieces);
    }

    static Write ofZeros(long position, int length) {
        Block[] pieces = new Block[pieceCount(position, length)];
        Arrays.fill(pieces, Block.ZERO);
        int head = Math.min(Block.BYTES - (int) (position & Block.BYTES - 1), length);
        pieces[0] = zeros(head);
        if (pieces.length > 1) {
            int tail = (int) (position + length & Block.BYTES - 1);
            pieces[pieces.length - 1] = zeros(tail == 0 ? Block.BYTES : tail);
        }
        return new Write(position, length, pieces);
    }

    /**
     * Part of this write, as a write to another place.
     *
     * @param from the first byte of the part, counted from this write's first
     * @param target where the part goes
     */
    Write slice(int from, int sliceLength, long target) {
        if (from == 0 && sliceLength == length && target == position) {
            return this;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (Block piece : pieces) {
            bytes.put(piece.bytes);
        }
        return of(target, bytes.position(from), sliceLength);
    }

    long position() {
        return position;
    }

    int length() {
        return length;
    }

    long end() {
        return position + length;
    }

    long firstBlockNumber() {
        return position / Block.BYTES;
    }

    long endBlockNumber() {
        return firstBlockNumber() + pieces.length;
    }

    /** The memory of its own that it keeps; zeros are shared by all. */
    long heldBytes() {
        long held = 0;
        for (Block piece : pieces) {
            held += piece == Block.ZERO ? 0 : piece.bytes.length;
        }
        return held;
    }

    int pieceCount() {
        return pieces.length;
    }

    Block piece(int index) {
        return pieces[index];
    }

    /** Where in its block the piece begins. */
    int pieceOffset(int index) {
        return index == 0 ? (int) (position & Block.BYTES - 1) : 0;
    }

    /** How many sectors of that length the write touches. */
    int sectorCount(int sectorBytes) {
        return (int) ((end() - 1) / sectorBytes - position / sectorBytes) + 1;
    }

    @Override
    public String toString() {
        return "position=" + position + ", length=" + length;
    }

    private static int pieceCount(long position, int length) {
        assert length > 0 : "length=" + length;

        return (int) ((position + length - 1) / Block.BYTES - position / Block.BYTES) + 1;
    }

    private static Block zeros(int length) {
        return length == Block.BYTES ? Block.ZERO : new Block(new byte[length]);
    }
}
