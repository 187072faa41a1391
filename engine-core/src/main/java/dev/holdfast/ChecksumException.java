// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * A {@link CustomChecksum} threw, or contradicted itself. What is stored is untouched; the call may
 * succeed once the reason, which is the cause if there is one, is gone. Of a page that is read it
 * is itself the cause of a {@link CorruptionException}.
 */
public final class ChecksumException extends ResourceException {
    private static final long serialVersionUID = 1L;

    /** Creates it with what failed and {@code name=value} pairs in {@code message}. */
    public ChecksumException(String message, Throwable cause) {
        super(message, cause);
    }
}
