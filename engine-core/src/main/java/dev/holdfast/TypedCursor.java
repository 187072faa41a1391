// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * A {@link Cursor} seen through codecs. Each method does what its namesake there does.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class TypedCursor<K, V> implements AutoCloseable {
    private final Cursor cursor;
    private final Codec<K> keys;
    private final Codec<V> values;

    TypedCursor(Cursor cursor, Codec<K> keys, Codec<V> values) {
        this.cursor = cursor;
        this.keys = keys;
        this.values = values;
    }

    public boolean next() {
        return cursor.next();
    }

    public boolean previous() {
        return cursor.previous();
    }

    public boolean seek(K key) {
        return cursor.seek(keys.encode(key));
    }

    public boolean first() {
        return cursor.first();
    }

    public boolean last() {
        return cursor.last();
    }

    public K key() {
        return keys.decode(cursor.key());
    }

    public V value() {
        return values.decode(cursor.value());
    }

    @Override
    public void close() {
        cursor.close();
    }
}
