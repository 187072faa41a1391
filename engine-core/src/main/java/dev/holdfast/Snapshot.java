// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.nio.ByteBuffer;

/**
 * A consistent view of all tables at one point in time. Reading it never waits for a writer, never
 * stops one and never fails because of one.
 *
 * <p>While it is open, old versions are kept for it: close it when done. It may move between
 * threads, but one at a time may use it and its cursors, else {@link ConcurrentUseException}. An
 * engine's close ends it.
 *
 * <p>Every method throws {@link TransactionFinishedException} after the end, {@link
 * EngineClosedException} or {@link EngineFailedException} when the engine is no longer open, {@link
 * NoSuchTableException} for a dropped table, {@link CorruptionException} for a page that is not
 * what was written, and {@link StorageException} when a page cannot be read. A key that is too long
 * to be stored is simply absent.
 */
public interface Snapshot extends AutoCloseable {
    /**
     * Returns the value of a key in a new array, or {@code null} if the key is absent. An empty
     * array is a value. Costs a descent of the tree, and a read for each page of it that is not in
     * the pool; a value that is not in its row costs its pages besides.
     */
    byte[] get(Table table, byte[] key);

    /**
     * Puts the value of a key into a buffer, direct or not, and allocates nothing.
     *
     * <p>If the value fits, it is put at the buffer's position, which moves past it. If it does
     * not, the position stays and the bytes up to the limit are undefined: compare the result with
     * what remained before the call, and call again with more room.
     *
     * @return the length of the value in bytes whether or not it fits, or -1 if the key is absent
     * @throws java.nio.ReadOnlyBufferException if the buffer is read-only
     */
    int get(Table table, byte[] key, ByteBuffer target);

    /** Says whether a key is there; costs less than to fetch its value. */
    boolean contains(Table table, byte[] key);

    /**
     * Opens a cursor over a range of a table. It stands before the first entry in the range's
     * direction. It costs a descent only when it is first moved.
     */
    Cursor cursor(Table table, Range range);

    /**
     * Waits until everything that this view shows is on disk. A commit can be seen before it is
     * durable; who acts on what was read outside the store calls this first. Has no time limit;
     * costs a sync of the log, shared with others, if what is shown is not durable yet.
     */
    void awaitDurable();

    /** Ends it and its cursors. Does nothing the second time. */
    @Override
    void close();
}
