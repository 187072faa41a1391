// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.nio.ByteBuffer;

/**
 * Walks over the entries of a {@link Range} in its direction and against it. On a {@link
 * Transaction} it also meets the changes that the transaction makes while it walks.
 *
 * <p>It stands before the first entry, on an entry, or after the last. Forward means the range's
 * direction: with a reversed range {@code next} goes to smaller keys and {@code first} to the
 * greatest.
 *
 * <pre>{@code
 * try (Cursor cursor = snapshot.cursor(table, Range.prefix(prefix))) {
 *     while (cursor.next()) {
 *         use(cursor.key(), cursor.value());
 *     }
 * }
 * }</pre>
 *
 * <p>It belongs to its snapshot: one thread at a time, and the snapshot's end ends it. It holds no
 * latch between calls. Its methods throw what {@link Snapshot} names.
 */
public interface Cursor extends AutoCloseable {
    /**
     * Goes to the next entry; from before the first to the first.
     *
     * @return false, and it stands after the last, if there is none
     */
    boolean next();

    /**
     * Goes to the entry before; from after the last to the last.
     *
     * @return false, and it stands before the first, if there is none
     */
    boolean previous();

    /**
     * Goes to a key, or else to the next entry in forward direction. A key before the range leads
     * to the first entry, one after it to none. Costs a descent of the tree, as do the two methods
     * below; {@link #next} and {@link #previous} cost one only for every page of entries.
     *
     * @return false, and it stands after the last, if there is none
     */
    boolean seek(byte[] key);

    /**
     * Goes to the first entry.
     *
     * @return false, and it stands after the last, if the range is empty
     */
    boolean first();

    /**
     * Goes to the last entry.
     *
     * @return false, and it stands before the first, if the range is empty
     */
    boolean last();

    /**
     * Returns the entry's key in a new array.
     *
     * @throws IllegalStateException if it stands on no entry; so do the next three
     */
    byte[] key();

    /**
     * Returns the entry's value in a new array. A value that is not in its row is read now.
     *
     * @throws IllegalStateException also if the transaction itself has removed the entry meanwhile
     */
    byte[] value();

    /**
     * Returns the entry's key in a read-only buffer, from position zero to the limit, which is
     * valid until the cursor is moved or closed. It allocates no copy.
     */
    ByteBuffer keyView();

    /**
     * Returns the entry's value as {@link #keyView} does the key. A value that is not in its row is
     * read into memory of the cursor, which it keeps until it is closed.
     */
    ByteBuffer valueView();

    /** Ends it; a later call is an {@link IllegalStateException}. Does nothing the second time. */
    @Override
    void close();
}
