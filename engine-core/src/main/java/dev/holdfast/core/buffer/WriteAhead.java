// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/** The log, as the pool sees it: what the write-ahead rule and the checkpoint need. */
public interface WriteAhead {
    /** Where the next group will begin: no change is logged at or above it yet. */
    long appendLsn();

    /** Every group that ends at or below it has been published. */
    long closedLsn();

    /** The log is on disk through this LSN, which no crash takes back. */
    long durableLsn();

    /** Returns once the log is on disk through the given LSN. */
    void makeDurable(long lsn);
}
