// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.Objects;

/**
 * A {@link Table} seen through codecs for its keys and its values. Each method does what its
 * namesake of {@link Snapshot} or {@link Transaction} does, and throws the same; and {@link
 * CodecException}, which names table and key, when a codec refuses what it is given or what it
 * finds. Holds nothing of its own, is never closed, and is safe for many threads.
 *
 * <p>No key and no value may be {@code null}. Ranges are of bytes; make them with {@link
 * #keyBytes}.
 *
 * <p>The store does not know of codecs: a table may be seen through others later, or as bytes.
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

    /** Returns the table of bytes that this is a view of. */
    public Table table() {
        return table;
    }

    /** Returns the bytes of a key, as the bound of a {@link Range}. */
    public byte[] keyBytes(K key) {
        requireNonNull(key, "key");
        try {
            return Objects.requireNonNull(keys.encode(key), "codec returned null");
        } catch (RuntimeException refused) {
            throw new CodecException("key cannot be encoded", table.name(), null, refused);
        }
    }

    /** Returns the value of a key, or {@code null} if the key is absent. */
    public V get(Snapshot snapshot, K key) {
        byte[] keyBytes = keyBytes(key);
        byte[] value = snapshot.get(table, keyBytes);
        return value == null ? null : decodeValue(keyBytes, value);
    }

    /** Says whether a key is there; the value is neither fetched nor decoded. */
    public boolean contains(Snapshot snapshot, K key) {
        return snapshot.contains(table, keyBytes(key));
    }

    /** Opens a cursor over a range of the table. */
    public TypedCursor<K, V> cursor(Snapshot snapshot, Range range) {
        return new TypedCursor<>(snapshot.cursor(table, range), this);
    }

    /** Sets the value of a key, whether or not it is there. */
    public void put(Transaction transaction, K key, V value) {
        byte[] keyBytes = keyBytes(key);
        transaction.put(table, keyBytes, valueBytes(keyBytes, value, "value"));
    }

    /**
     * Adds a key that must not be there.
     *
     * @throws DuplicateKeyException if it is; the transaction goes on
     */
    public void insert(Transaction transaction, K key, V value) {
        byte[] keyBytes = keyBytes(key);
        transaction.insert(table, keyBytes, valueBytes(keyBytes, value, "value"));
    }

    /**
     * Sets the value of a key that is there.
     *
     * @return false, and nothing was changed, if it is not
     */
    public boolean replace(Transaction transaction, K key, V value) {
        byte[] keyBytes = keyBytes(key);
        return transaction.replace(table, keyBytes, valueBytes(keyBytes, value, "value"));
    }

    /**
     * Sets the value of a key if its value now is the expected one. The encoded bytes are compared,
     * not the values by their {@code equals}.
     *
     * @return false, and nothing was changed, if the key is absent or has another value
     */
    public boolean update(Transaction transaction, K key, V expected, V value) {
        byte[] keyBytes = keyBytes(key);
        byte[] expectedBytes = valueBytes(keyBytes, expected, "expected");
        return transaction.update(
                table, keyBytes, expectedBytes, valueBytes(keyBytes, value, "value"));
    }

    /**
     * Removes a key.
     *
     * @return false, and nothing was changed, if it is not there
     */
    public boolean delete(Transaction transaction, K key) {
        return transaction.delete(table, keyBytes(key));
    }

    /**
     * Removes all keys of a range, row by row; decodes none of them.
     *
     * @return how many there were
     */
    public long deleteRange(Transaction transaction, Range range) {
        return transaction.deleteRange(table, range);
    }

    K decodeKey(byte[] key) {
        try {
            return keys.decode(key);
        } catch (RuntimeException refused) {
            throw new CodecException("key cannot be decoded", table.name(), key, refused);
        }
    }

    /** Of the entry that the cursor stands on. */
    V decodeValue(Cursor cursor, byte[] value) {
        try {
            return values.decode(value);
        } catch (RuntimeException refused) {
            throw valueRefused(cursor.key(), refused);
        }
    }

    private V decodeValue(byte[] key, byte[] value) {
        try {
            return values.decode(value);
        } catch (RuntimeException refused) {
            throw valueRefused(key, refused);
        }
    }

    private CodecException valueRefused(byte[] key, RuntimeException refused) {
        return new CodecException("value cannot be decoded", table.name(), key, refused);
    }

    private byte[] valueBytes(byte[] key, V value, String argument) {
        requireNonNull(value, argument);
        try {
            return Objects.requireNonNull(values.encode(value), "codec returned null");
        } catch (RuntimeException refused) {
            throw new CodecException(argument + " cannot be encoded", table.name(), key, refused);
        }
    }

    private void requireNonNull(Object given, String argument) {
        if (given == null) {
            throw new NullPointerException(argument + " is null: table=" + table.name());
        }
    }

    @Override
    public String toString() {
        return "TypedTable[name=" + table.name() + "]";
    }
}
