// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The store or this engine cannot go on. The caller reopens, which recovers, or restores a backup.
 */
public abstract class FatalException extends EngineException {
    private static final long serialVersionUID = 1L;

    FatalException(String message, Throwable cause) {
        super(message, cause);
    }
}
