// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The root of all that the engine throws for reasons of its own. There are four kinds, by what the
 * caller does next: run the transaction again ({@link RetryableException}), mend the call ({@link
 * UsageException}), give room or wait ({@link ResourceException}), reopen or restore ({@link
 * FatalException}).
 *
 * <p>Misuse that a look at the arguments shows is an {@link IllegalArgumentException} or {@link
 * NullPointerException} as everywhere in Java. A message says what failed and then gives {@code
 * name=value} pairs.
 */
public abstract class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EngineException(String message, Throwable cause) {
        super(message, cause);
    }
}
