// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The transaction lost against others or met a limit in time: the same work, begun anew, may
 * succeed. {@link Engine#write} does so by itself, up to {@link EngineOptions#writeAttempts()}
 * times.
 *
 * <p>These are {@link WriteConflictException}, {@link LockTimeoutException}, {@link
 * LogSpaceTimeoutException} and {@link AdmissionTimeoutException}. The last is thrown before there
 * is a transaction. The statement that threw one of the others left nothing of itself; the
 * transaction is still active, and its owner rolls it back, as {@link Transaction#close} does, and
 * begins again.
 */
public abstract class RetryableException extends EngineException {
    private static final long serialVersionUID = 1L;

    RetryableException(String message, Throwable cause) {
        super(message, cause);
    }
}
