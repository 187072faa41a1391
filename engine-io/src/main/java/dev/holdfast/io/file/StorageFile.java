// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import dev.holdfast.io.stats.FileStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file, read and written by position.
 *
 * <p>Safe for use by many threads. Calls on ranges that do not overlap do not disturb each other;
 * what a read sees of a write to the same bytes that runs at the same time is undefined, byte by
 * byte, but never an error. {@link #truncate} excludes nothing: the caller sees to it that nobody
 * uses what is cut off.
 *
 * <p><b>Buffers</b> are direct; a heap buffer is refused, since the JDK would copy it through
 * hidden memory. In {@link FileMode#DIRECT} positions, lengths and the buffer's address are
 * multiples of {@link FileMode#DIRECT_ALIGNMENT}. A breach is an {@code IllegalArgumentException}
 * that names the values. A transfer is whole or fails: short ones are resumed.
 *
 * <p><b>Interrupts</b> neither end a call nor close the file. The flag is kept.
 *
 * <p><b>Durability:</b> what was written is on the disk only after {@link #sync} has returned, and
 * the file's name only after {@link StorageDirectory#syncDirectory}. A sync that failed is never
 * tried again: what it should have saved may be lost although reads still show it.
 */
public interface StorageFile extends AutoCloseable {

    /** The name that the file was created or opened by, relative to its directory's root. */
    String name();

    /**
     * Fills the target's remaining bytes from the given position on; its position is advanced.
     *
     * @throws java.io.EOFException if the file ends earlier; the message names file, position,
     *     length asked for and length of the file; what the target then holds is undefined
     */
    void read(long position, ByteBuffer target) throws IOException;

    /**
     * Writes the source's remaining bytes at the given position; its position is advanced. A gap
     * beyond the old end reads as zeros. After a failure any part of the bytes may have arrived.
     */
    void write(long position, ByteBuffer source) throws IOException;

    /**
     * Makes durable what was written before the call.
     *
     * @param dataOnly leaves out metadata that reading the data does not need, such as times; the
     *     length is always included
     */
    void sync(boolean dataOnly) throws IOException;

    /** The length in bytes now. */
    long length() throws IOException;

    /** Cuts the file to the given length; a file that is not longer stays as it is. */
    void truncate(long length) throws IOException;

    /**
     * Writes zeros from one position up to another, exclusive, in large transfers, growing the file
     * where needed. Unlike a gap, the range then occupies space. The caller syncs.
     */
    void zeroFill(long from, long to) throws IOException;

    /** The counters of this open file. */
    FileStatistics statistics();

    /** Closes the file without a sync; a second call does nothing. */
    @Override
    void close() throws IOException;
}
