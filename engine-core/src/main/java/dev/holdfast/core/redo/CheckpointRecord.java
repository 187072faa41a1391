// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

/**
 * What the checkpoint file says: where recovery starts, and what else an open must know before it
 * has read any redo.
 *
 * @param sequence orders the records; given by the file when it writes one
 * @param checkpointLsn a group begins here; every change below is in the synced data files
 * @param epoch the log epoch of the engine that wrote the record (P3)
 * @param epochStartLsn the LSN of that epoch's first block
 * @param durableThrough up to here the log is known to be on the disk
 * @param transactionIdHighWater no transaction id at or above it was given out
 * @param treeIdHighWater no tree id at or above it was given out
 * @param spaceIdHighWater no space id at or above it was given out
 * @param cleanClose whether the store was closed with nothing left for recovery
 * @param pageBytes the store's page size
 * @param layout how the log is cut into files
 */
public record CheckpointRecord(
        long sequence,
        long checkpointLsn,
        int epoch,
        long epochStartLsn,
        long durableThrough,
        long transactionIdHighWater,
        int treeIdHighWater,
        int spaceIdHighWater,
        boolean cleanClose,
        int pageBytes,
        RedoLayout layout) {

    /** The first record of a store. */
    public static CheckpointRecord first(
            long transactionIdHighWater,
            int treeIdHighWater,
            int spaceIdHighWater,
            int pageBytes,
            RedoLayout layout) {
        long start = Lsn.fromPayload(Lsn.FIRST_POSITION);
        return new CheckpointRecord(
                0,
                start,
                1,
                start - BlockHeader.BYTES,
                start,
                transactionIdHighWater,
                treeIdHighWater,
                spaceIdHighWater,
                false,
                pageBytes,
                layout);
    }

    /** The record that makes a new epoch durable; the log that was read is synced (P11a). */
    public CheckpointRecord withEpoch(LogPosition start) {
        return new CheckpointRecord(
                sequence,
                checkpointLsn,
                start.epoch(),
                start.epochStartLsn(),
                start.recoveredEndLsn(),
                transactionIdHighWater,
                treeIdHighWater,
                spaceIdHighWater,
                false,
                pageBytes,
                layout);
    }

    /** The record of a checkpoint; {@code newDurableThrough} is the log's proof. */
    public CheckpointRecord withCheckpoint(
            long newCheckpointLsn, long newDurableThrough, boolean newCleanClose) {
        return new CheckpointRecord(
                sequence,
                newCheckpointLsn,
                epoch,
                epochStartLsn,
                newDurableThrough,
                transactionIdHighWater,
                treeIdHighWater,
                spaceIdHighWater,
                newCleanClose,
                pageBytes,
                layout);
    }

    /** The record with other id high-water marks. */
    public CheckpointRecord withHighWater(long transactionId, int treeId, int spaceId) {
        return new CheckpointRecord(
                sequence,
                checkpointLsn,
                epoch,
                epochStartLsn,
                durableThrough,
                transactionId,
                treeId,
                spaceId,
                cleanClose,
                pageBytes,
                layout);
    }

    /** The record with another layout of the log, none of which is needed or there. */
    public CheckpointRecord withLayout(RedoLayout newLayout) {
        return new CheckpointRecord(
                sequence,
                checkpointLsn,
                epoch,
                epochStartLsn,
                durableThrough,
                transactionIdHighWater,
                treeIdHighWater,
                spaceIdHighWater,
                cleanClose,
                pageBytes,
                newLayout);
    }

    CheckpointRecord withSequence(long newSequence) {
        return new CheckpointRecord(
                newSequence,
                checkpointLsn,
                epoch,
                epochStartLsn,
                durableThrough,
                transactionIdHighWater,
                treeIdHighWater,
                spaceIdHighWater,
                cleanClose,
                pageBytes,
                layout);
    }

    /** Whether the numbers can be a record; the same before a write and after a read. */
    boolean isPlausible() {
        return Lsn.isPlausible(checkpointLsn)
                && Lsn.isPlausible(durableThrough)
                && epoch > 0
                && epochStartLsn > 0
                && epochStartLsn % Lsn.BLOCK_BYTES == 0
                && checkpointLsn <= Math.max(durableThrough, epochStartLsn + BlockHeader.BYTES);
    }
}
