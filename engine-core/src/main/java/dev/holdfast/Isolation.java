// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** What a transaction sees of others. Its own changes it sees always. */
public enum Isolation {
    /**
     * Each statement sees what was committed when it began. A writer waits for another active
     * writer of the key and then changes the newest version.
     */
    READ_COMMITTED,
    /**
     * All statements see what was committed when the transaction began. Of two that write the same
     * key the first wins; the other gets a {@link WriteConflictException}. Two transactions that
     * each write what the other only read may both commit (write skew).
     */
    SNAPSHOT
}
