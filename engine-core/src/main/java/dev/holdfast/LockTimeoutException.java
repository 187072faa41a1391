// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * Another transaction held the key's lock, or too many others were at work, for longer than this
 * one was willing to wait.
 */
public final class LockTimeoutException extends RetryableException {
    private static final long serialVersionUID = 1L;

    /* Both null when the wait was not for a key. */
    private final String table;
    private final byte[] key;

    /** Creates it for the lock of a key. */
    public LockTimeoutException(String table, byte[] key, Duration waited) {
        super(message("table=" + table + ", key=" + KeyText.of(key), waited), null);
        this.table = table;
        this.key = key.clone();
    }

    /** Creates it for a wait that was not for a key, such as {@code undo log}. */
    public LockTimeoutException(String wanted, Duration waited) {
        super(message("wanted=" + wanted, waited), null);
        this.table = null;
        this.key = null;
    }

    private static String message(String wanted, Duration waited) {
        return "lock wait timed out: " + wanted + ", waitedMillis=" + waited.toMillis();
    }

    /** Returns the table of the key whose lock was wanted. */
    public Optional<String> table() {
        return Optional.ofNullable(table);
    }

    /** Returns a copy of the key whose lock was wanted. */
    public Optional<byte[]> key() {
        return Optional.ofNullable(key).map(byte[]::clone);
    }
}
