// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The value is longer than {@link Limits#VALUE_BYTES_MAX}. */
public final class ValueTooLongException extends UsageException {
    private static final long serialVersionUID = 1L;

    public ValueTooLongException(int valueBytes, int valueBytesMax) {
        super(
                "value is too long: valueBytes=" + valueBytes + ", valueBytesMax=" + valueBytesMax,
                null);
    }
}
