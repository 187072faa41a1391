// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import java.io.IOException;

/** Where a checkpoint is recorded, with all else that its record holds. */
@FunctionalInterface
public interface CheckpointSink {
    /**
     * Makes the record durable, and lets the log's space below the LSN be used again.
     *
     * @param checkpointLsn where recovery starts; the log is durable through it
     */
    void record(long checkpointLsn) throws IOException;
}
