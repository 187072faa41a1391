// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The engine was closed before or during the call. What was not committed is rolled back. */
public final class EngineClosedException extends UsageException {
    private static final long serialVersionUID = 1L;

    /** Creates it with the store's name, as its owner knows it. */
    public EngineClosedException(String store) {
        super("engine is closed: store=" + store, null);
    }
}
