// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The bytes of a file in memory, shared by all its handles. Memory is taken by what is written. */
final class MemoryContent {
    /*
     * Blocks in a table. An absent block reads as zeros, so zeroed and skipped ranges cost nothing.
     * Blocks are heap arrays: the collector frees them with the last handle and name, and tests
     * make thousands of such files.
     *
     * field    written by                    read by    mode
     * table    who holds the monitor         all        volatile; a longer one holds the same blocks
     * blocks   who holds the monitor         all        volatile elements
     * bytes    any writer, no guard          readers    plain: overlapping calls are the caller's
     * length   who holds the monitor         all        volatile, set after the bytes are there
     *
     * A write inside the length to blocks that exist takes no monitor. Installing a block does, so
     * that a table that is being lengthened loses none. Bytes of a block beyond the length are
     * always zero: truncate clears them, so that growing again shows zeros.
     */

    static final int BLOCK_BYTES = 1 << 14;

    private static final int BLOCKS_AT_FIRST = 4;

    /** The limit of a file's length that the table's int index allows. */
    private static final long LENGTH_MAX = (long) BLOCK_BYTES << 30;

    private volatile AtomicReferenceArray<byte[]> table =
            new AtomicReferenceArray<>(BLOCKS_AT_FIRST);

    private volatile long length;

    long length() {
        return length;
    }

    /** Copies bytes that lie below the length. */
    void read(long position, ByteBuffer target) {
        long at = position;
        AtomicReferenceArray<byte[]> blocks = table;
        while (target.hasRemaining()) {
            int inBlock = (int) (at % BLOCK_BYTES);
            int count = Math.min(target.remaining(), BLOCK_BYTES - inBlock);
            byte[] block = blockOrNull(blocks, at);
            target.put(block == null ? Zeros.BLOCK : block, inBlock, count);
            at += count;
        }
    }

    void write(long position, ByteBuffer source) {
        long end = checkLength(Math.addExact(position, source.remaining()));
        long at = position;
        while (source.hasRemaining()) {
            int inBlock = (int) (at % BLOCK_BYTES);
            int count = Math.min(source.remaining(), BLOCK_BYTES - inBlock);
            byte[] block = blockOrNull(table, at);
            source.get(block == null ? install(at) : block, inBlock, count);
            at += count;
        }
        if (end > length) {
            grow(end);
        }
    }

    /** Makes a range zeros by giving up its blocks. */
    synchronized void zero(long from, long to) {
        checkLength(to);
        clear(from, Math.min(to, length));
        grow(to);
    }

    synchronized void truncate(long newLength) {
        if (newLength < length) {
            long oldLength = length;
            length = newLength;
            long lastByte = (oldLength - 1) | (BLOCK_BYTES - 1);
            clear(newLength, lastByte + 1);
        }
    }

    private synchronized void grow(long end) {
        length = Math.max(length, end);
    }

    private void clear(long from, long to) {
        long at = from;
        while (at < to) {
            int inBlock = (int) (at % BLOCK_BYTES);
            int count = (int) Math.min(to - at, BLOCK_BYTES - inBlock);
            byte[] block = blockOrNull(table, at);
            if (block != null && count == BLOCK_BYTES) {
                table.set((int) (at / BLOCK_BYTES), null);
            } else if (block != null) {
                Arrays.fill(block, inBlock, inBlock + count, (byte) 0);
            }
            at += count;
        }
    }

    private synchronized byte[] install(long position) {
        int index = (int) (position / BLOCK_BYTES);
        AtomicReferenceArray<byte[]> blocks = table;
        if (index >= blocks.length()) {
            int count = Math.max(index + 1, blocks.length() + (blocks.length() >> 1));
            AtomicReferenceArray<byte[]> longer = new AtomicReferenceArray<>(count);
            for (int i = 0; i < blocks.length(); i++) {
                longer.setPlain(i, blocks.get(i));
            }
            table = longer;
            blocks = longer;
        }
        byte[] block = blocks.get(index);
        if (block == null) {
            block = new byte[BLOCK_BYTES];
            blocks.set(index, block);
        }
        return block;
    }

    private static byte[] blockOrNull(AtomicReferenceArray<byte[]> blocks, long position) {
        long index = position / BLOCK_BYTES;
        return index < blocks.length() ? blocks.get((int) index) : null;
    }

    private static long checkLength(long newLength) {
        if (newLength > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "file in memory too long: length=" + newLength + ", lengthMax=" + LENGTH_MAX);
        }
        return newLength;
    }

    /** What absent blocks are read from. */
    private static final class Zeros {
        static final byte[] BLOCK = new byte[BLOCK_BYTES];

        private Zeros() {}
    }
}
