// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The call cannot succeed as it was made; the caller mends it. Nothing was changed by the call. */
public abstract class UsageException extends EngineException {
    private static final long serialVersionUID = 1L;

    UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
