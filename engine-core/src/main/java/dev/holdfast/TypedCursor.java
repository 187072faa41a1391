// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * A {@link Cursor} seen through codecs. Each method does what its namesake there does, and throws
 * the same; and {@link CodecException} when a codec refuses what it is given or what it finds. The
 * cursor stays where it is then, and may be moved on.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class TypedCursor<K, V> implements AutoCloseable {
    private final Cursor cursor;
    private final TypedTable<K, V> table;

    TypedCursor(Cursor cursor, TypedTable<K, V> table) {
        this.cursor = cursor;
        this.table = table;
    }

    /** Goes to the next entry; false, and it stands after the last, if there is none. */
    public boolean next() {
        return cursor.next();
    }

    /** Goes to the entry before; false, and it stands before the first, if there is none. */
    public boolean previous() {
        return cursor.previous();
    }

    /** Goes to a key, or else to the next entry in forward direction; false if there is none. */
    public boolean seek(K key) {
        return cursor.seek(table.keyBytes(key));
    }

    /** Goes to the first entry; false if the range is empty. */
    public boolean first() {
        return cursor.first();
    }

    /** Goes to the last entry; false if the range is empty. */
    public boolean last() {
        return cursor.last();
    }

    /**
     * Returns the entry's key, decoded anew at each call.
     *
     * @throws IllegalStateException if it stands on no entry
     */
    public K key() {
        return table.decodeKey(cursor.key());
    }

    /**
     * Returns the entry's value, decoded anew at each call.
     *
     * @throws IllegalStateException if it stands on no entry
     */
    public V value() {
        return table.decodeValue(cursor, cursor.value());
    }

    /** Ends it. Does nothing the second time. */
    @Override
    public void close() {
        cursor.close();
    }
}
