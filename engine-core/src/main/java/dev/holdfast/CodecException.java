// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.Optional;

/**
 * A {@link Codec} refused a key or a value of a {@link TypedTable}: the bytes in the table are not
 * what it writes, as when a table is opened with another codec than it was filled with, or the
 * value given is one that it has no bytes for. What the codec threw is the cause.
 */
public final class CodecException extends UsageException {
    private static final long serialVersionUID = 1L;

    private final String table;

    /* Null when the key itself could not be encoded. */
    private final byte[] key;

    /**
     * Creates it with what could not be done, such as {@code value cannot be decoded}, and with the
     * key's bytes, or {@code null} if it has none.
     */
    public CodecException(String what, String table, byte[] key, Throwable cause) {
        super(
                what
                        + ": table="
                        + table
                        + (key == null ? "" : ", key=" + KeyText.of(key))
                        + ", reason="
                        + cause.getMessage(),
                cause);
        this.table = table;
        this.key = key == null ? null : key.clone();
    }

    public String table() {
        return table;
    }

    /** Returns a copy of the key's bytes; nothing if it is the key that could not be encoded. */
    public Optional<byte[]> key() {
        return Optional.ofNullable(key).map(byte[]::clone);
    }
}
