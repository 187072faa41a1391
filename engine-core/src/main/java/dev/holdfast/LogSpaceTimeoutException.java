// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.time.Duration;

/**
 * The redo log was full and checkpoints did not free enough of it in time. Thrown before the
 * statement's first change.
 */
public final class LogSpaceTimeoutException extends RetryableException {
    private static final long serialVersionUID = 1L;

    public LogSpaceTimeoutException(long neededBytes, long capacityBytes, Duration waited) {
        super(
                "no log space in time: neededBytes="
                        + neededBytes
                        + ", capacityBytes="
                        + capacityBytes
                        + ", waitedMillis="
                        + waited.toMillis(),
                null);
    }
}
