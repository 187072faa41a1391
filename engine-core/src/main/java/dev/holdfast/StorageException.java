// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The operating system refused to create, open or read a file of the store. What was committed is
 * untouched; the call may succeed once the reason, which is the cause, is gone. A failed <em>write
 * or sync</em> of a file that the store relies on is an {@link EngineFailedException}.
 */
public final class StorageException extends ResourceException {
    private static final long serialVersionUID = 1L;

    /** Creates it with what failed and {@code name=value} pairs in {@code message}. */
    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
