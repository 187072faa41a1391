// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The key is longer than {@link Limits#keyBytesMax} allows for the store's page size. */
public final class KeyTooLongException extends UsageException {
    private static final long serialVersionUID = 1L;

    public KeyTooLongException(int keyBytes, int keyBytesMax) {
        super("key is too long: keyBytes=" + keyBytes + ", keyBytesMax=" + keyBytesMax, null);
    }
}
