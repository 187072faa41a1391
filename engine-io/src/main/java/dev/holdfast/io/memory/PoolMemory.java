// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Zeroed memory outside the heap, in chunks that {@link PageMemory} addresses with an int.
 *
 * <p>Its size is not limited by the heap's size, as plain direct buffers are. All chunks but the
 * last have the same length; each begins at a multiple of the alignment.
 *
 * <p>{@link #chunk} is safe for all threads. Whoever calls {@link #close} guarantees that nobody
 * touches a chunk any more.
 */
public final class PoolMemory implements AutoCloseable {
    /*
     * Sources, in the order of preference: a shared arena where the JDK has one (22 and later); a
     * direct buffer while the pool is small against the heap; a private mapping else. A direct
     * buffer that is refused all the same, because the host has used up the limit, becomes a
     * mapping too.
     *
     * Arena and direct buffer write zeros and so touch the memory while they obtain it. A mapping
     * does not: its pages are made on first touch, which costs microseconds each. Whoever cuts the
     * memory into parts knows which of them is nobody's, and touches those in the background.
     */

    /** The length limit of a chunk: offsets of all pages in it, and of their ends, are ints. */
    public static final int CHUNK_BYTES_MAX = 1 << 30;

    private final MemorySource source;
    private final long bytes;
    private final int chunkBytes;
    private final ByteBuffer[] chunks;
    private volatile boolean isClosed;

    private PoolMemory(MemorySource source, long bytes, int chunkBytes, ByteBuffer[] chunks) {
        this.source = source;
        this.bytes = bytes;
        this.chunkBytes = chunkBytes;
        this.chunks = chunks;
    }

    /**
     * Obtains memory.
     *
     * @param bytes at least one; rounded up to a multiple of the alignment
     * @param alignment a power of two from 8 to 65536
     * @throws OutOfMemoryError if the system refuses it
     */
    public static PoolMemory allocate(long bytes, int alignment) {
        if (ArenaSource.isAvailable()) {
            return allocate(new ArenaSource(), bytes, alignment, CHUNK_BYTES_MAX);
        }
        if (DirectSource.fits(bytes)) {
            try {
                return allocate(new DirectSource(), bytes, alignment, CHUNK_BYTES_MAX);
            } catch (OutOfMemoryError theHostHasUsedUpTheLimit) {
                return allocate(new MappedSource(), bytes, alignment, CHUNK_BYTES_MAX);
            }
        }
        return allocate(new MappedSource(), bytes, alignment, CHUNK_BYTES_MAX);
    }

    static PoolMemory allocate(MemorySource source, long bytes, int alignment, int chunkBytesMax) {
        if (bytes < 1 || alignment < Long.BYTES || alignment > 1 << 16) {
            throw new IllegalArgumentException(
                    "pool memory of bad size: bytes=" + bytes + ", alignment=" + alignment);
        }
        if (Integer.bitCount(alignment) != 1) {
            throw new IllegalArgumentException(
                    "alignment is not a power of two: alignment=" + alignment);
        }
        assert chunkBytesMax % alignment == 0 : "chunkBytesMax=" + chunkBytesMax;

        long rounded = Math.addExact(bytes, alignment - 1L) & -alignment;
        int chunkBytes = (int) Math.min(rounded, chunkBytesMax);
        List<ByteBuffer> chunks = new ArrayList<>();
        boolean allocated = false;
        try {
            for (long left = rounded; left > 0; left -= chunkBytes) {
                chunks.add(source.allocate((int) Math.min(left, chunkBytes), alignment));
            }
            allocated = true;
        } finally {
            if (!allocated) {
                source.close();
            }
        }
        return new PoolMemory(source, rounded, chunkBytes, chunks.toArray(new ByteBuffer[0]));
    }

    /** The length of all chunks together. */
    public long bytes() {
        return bytes;
    }

    public int chunkCount() {
        return chunks.length;
    }

    /** The length of each chunk but the last, which may be shorter. */
    public int chunkBytes() {
        return chunkBytes;
    }

    public ByteBuffer chunk(int index) {
        return chunks[index];
    }

    /** Where the memory came from: {@code arena}, {@code direct} or {@code mapped}. */
    public String sourceName() {
        return source.name();
    }

    /** Whether the source has written the memory, so that the system has made its pages. */
    public boolean isTouched() {
        return source.isTouched();
    }

    /** Gives the memory back; a second call does nothing. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            source.close();
        }
    }
}
