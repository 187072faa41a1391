// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.Objects;

/**
 * A {@link Table} seen through codecs for its keys and its values. Each method does what its
 * namesake of {@link Snapshot} or {@link Transaction} does, and throws the same. Holds nothing of
 * its own, is never closed, and is safe for many threads.
 *
 * <p>Ranges are of bytes; make them with {@link #keyBytes}.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class TypedTable<K, V> {
    private final Table table;
    private final Codec<K> keys;
    private final Codec<V> values;

    TypedTable(Table table, Codec<K> keys, Codec<V> values) {
        this.table = Objects.requireNonNull(table, "table");
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
    }

    public Table table() {
        return table;
    }

    /** Returns the bytes of a key, as the bound of a {@link Range}. */
    public byte[] keyBytes(K key) {
        return keys.encode(key);
    }

    /** Returns the value of a key, or {@code null} if the key is absent. */
    public V get(Snapshot snapshot, K key) {
        byte[] value = snapshot.get(table, keys.encode(key));
        return value == null ? null : values.decode(value);
    }

    public boolean contains(Snapshot snapshot, K key) {
        return snapshot.contains(table, keys.encode(key));
    }

    /** Opens a cursor over a range of the table. */
    public TypedCursor<K, V> cursor(Snapshot snapshot, Range range) {
        return new TypedCursor<>(snapshot.cursor(table, range), keys, values);
    }

    public void put(Transaction transaction, K key, V value) {
        transaction.put(table, keys.encode(key), values.encode(value));
    }

    public void insert(Transaction transaction, K key, V value) {
        transaction.insert(table, keys.encode(key), values.encode(value));
    }

    public boolean replace(Transaction transaction, K key, V value) {
        return transaction.replace(table, keys.encode(key), values.encode(value));
    }

    /** Compares the encoded bytes of the expected value. */
    public boolean update(Transaction transaction, K key, V expected, V value) {
        return transaction.update(
                table, keys.encode(key), values.encode(expected), values.encode(value));
    }

    public boolean delete(Transaction transaction, K key) {
        return transaction.delete(table, keys.encode(key));
    }

    public long deleteRange(Transaction transaction, Range range) {
        return transaction.deleteRange(table, range);
    }
}
