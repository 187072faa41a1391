// SPDX-License-Identifier: Apache-2.0

/**
 * Transactions: states, snapshots, visibility, row locks, commit, rollback, purge.
 *
 * <p>{@link dev.holdfast.core.txn.TransactionSystem} begins, commits and rolls back over {@code
 * TransactionTable}, the states of all that are active or have ended lately; {@code RowReader} and
 * {@code RowWriter} find the version of a row that a view may see, and change it; {@code RowLocks}
 * is where writers wait for each other. {@link dev.holdfast.core.txn.Purge} removes what no view
 * can need, {@link dev.holdfast.core.txn.LoserRollback} takes back what a crash ended or a rollback
 * had to leave.
 *
 * <p>It may call {@code core.undo}, {@code core.catalog} and what is below. User threads run all of
 * it but purge and the rollback of losers, which are agents of {@code core.db}. Keeps P4 (commit
 * numbers), P5 (snapshots), P8 (rollback), P14 (row locks), P15 (cursors), P16 (unique keys) and
 * P17 (purge). The page is {@code docs/architecture/transactions.md}.
 */
package dev.holdfast.core.txn;
