// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import java.io.IOException;

/** The names in the store's directory could not be made durable; the engine fails. */
final class FailedSyncException extends IOException {
    private static final long serialVersionUID = 1L;

    FailedSyncException(IOException cause) {
        super("sync of the directory failed", cause);
    }
}
