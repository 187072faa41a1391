// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

/** What a view sees of a version, by the state of the transaction that wrote it (P4). */
enum Visibility {
    VISIBLE,
    /**
     * Written by a transaction that is active, or committed later: an older version is to be
     * sought.
     */
    HIDDEN,
    /** The writer is getting its commit number just now: let everything go, wait, read again. */
    COMMITTING,
    /** The writer left the transaction table; its undo log knows. */
    UNKNOWN;

    static Visibility of(long state, long snapshotLsn) {
        if (state == TransactionTable.ABSENT) {
            return VISIBLE;
        }
        if (state == TransactionTable.SPILLED) {
            return UNKNOWN;
        }
        if (state == TransactionTable.COMMITTING) {
            return COMMITTING;
        }
        return state != TransactionTable.ACTIVE && state <= snapshotLsn ? VISIBLE : HIDDEN;
    }
}
