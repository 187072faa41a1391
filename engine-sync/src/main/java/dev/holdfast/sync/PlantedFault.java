// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The faults that tests can plant to see that the test meant to notice them does. Product code asks
 * {@link TestHooks#fault} at the one line that the fault changes; outside tests the answer is a
 * constant {@code false}. New ones are appended.
 */
public enum PlantedFault {
    /** A commit is acknowledged before its log sync. */
    ACK_BEFORE_SYNC,
    /** Directory entries are not synced after create, rename or delete. */
    NO_DIRECTORY_SYNC,
    /** Pages are written in place without a doublewrite copy. */
    NO_DOUBLEWRITE,
    /** A page is written before the log is durable through its page LSN. */
    NO_WRITE_AHEAD,
    /** The parent is not validated again after its child's version was read. */
    CHILD_NOT_REVALIDATED,
    /** A frame is evicted while its page is being written. */
    EVICT_WHILE_WRITING,
    /** Undo space is reused without waiting for the epochs. */
    UNDO_REUSED_AT_ONCE,
    /** The log scan goes on behind a bad block. */
    LOG_HOLE_SKIPPED,
    /** One redo function is off by one. */
    REDO_OFF_BY_ONE,
    /** Rollback changes pages without redo. */
    ROLLBACK_NOT_LOGGED,
    /** A checkpoint is recorded before the data files are synced. */
    CHECKPOINT_BEFORE_DATA_SYNC,
    /** A torn page passes the check at read. */
    TORN_PAGE_ACCEPTED,
    /** Recovery leaves the changes of an incomplete transaction in place. */
    LOSER_KEPT,
    /** The first updater does not win. */
    CONFLICT_CHECK_SKIPPED,
    /** A freed page is reused without waiting for the epochs. */
    FREED_PAGE_REUSED_AT_ONCE,
    /** Log bytes are published before they are copied into the ring. */
    PUBLISH_BEFORE_COPY,
    /** A latch release with waiters wakes nobody. */
    WAKE_UP_LOST,
    /** Who releases a latch object does not look again whether somebody has queued. */
    QUEUE_NOT_SEEN,
    /** Who wants a latch alone overlooks the readers that are counted outside its word. */
    READERS_NOT_GATHERED
}
