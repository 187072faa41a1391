// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * Something outside the engine is missing or taken: room on the disk, a free directory, a file that
 * can be read. The caller gives it or waits; the store is sound.
 */
public abstract class ResourceException extends EngineException {
    private static final long serialVersionUID = 1L;

    ResourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
