// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * {@link Transaction#insert} met a key that is there. The statement changed nothing; the
 * transaction goes on.
 */
public final class DuplicateKeyException extends UsageException {
    private static final long serialVersionUID = 1L;

    private final String table;
    private final byte[] key;

    public DuplicateKeyException(String table, byte[] key) {
        super("key exists: table=" + table + ", key=" + KeyText.of(key), null);
        this.table = table;
        this.key = key.clone();
    }

    public String table() {
        return table;
    }

    /** Returns a copy of the key. */
    public byte[] key() {
        return key.clone();
    }
}
