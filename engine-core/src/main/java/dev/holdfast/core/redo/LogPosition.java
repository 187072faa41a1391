// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import java.util.UUID;

/**
 * Where a log is taken up at an open, and the epoch that begins there (P3).
 *
 * @param store the store's id
 * @param recoveredEndLsn where the log that was read ends; all below is synced (P11a)
 * @param epoch the new epoch; above all that any block on disk may bear
 * @param checkpointLsn below it nothing of the log is needed
 */
public record LogPosition(UUID store, long recoveredEndLsn, int epoch, long checkpointLsn) {
    /** The position of a store that is being created. */
    public static LogPosition first(UUID store) {
        long lsn = Lsn.fromPayload(Lsn.FIRST_POSITION);
        return new LogPosition(store, lsn, 1, lsn);
    }

    /** The LSN of the first block of the epoch: the first border at or after the end. */
    public long epochStartLsn() {
        return Lsn.fromPayload(startPosition()) - BlockHeader.BYTES;
    }

    /** The LSN of the first group that will be appended. */
    public long startLsn() {
        return Lsn.fromPayload(startPosition());
    }

    long startPosition() {
        return Lsn.borderAtOrAfter(Lsn.toPayload(recoveredEndLsn));
    }

    BlockHeader.Identity identity() {
        return new BlockHeader.Identity(store, epoch, epochStartLsn());
    }
}
