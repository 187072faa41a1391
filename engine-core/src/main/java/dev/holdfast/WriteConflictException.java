// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * Another transaction changed the key and committed after this one's snapshot was taken: the first
 * updater wins.
 */
public final class WriteConflictException extends RetryableException {
    private static final long serialVersionUID = 1L;

    private final String table;
    private final byte[] key;

    public WriteConflictException(String table, byte[] key) {
        super("write conflict: table=" + table + ", key=" + KeyText.of(key), null);
        this.table = table;
        this.key = key.clone();
    }

    public String table() {
        return table;
    }

    /** Returns a copy of the key that both wrote. */
    public byte[] key() {
        return key.clone();
    }
}
