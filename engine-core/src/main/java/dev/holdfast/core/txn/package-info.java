// SPDX-License-Identifier: Apache-2.0

/** Transactions: states, snapshots, visibility, row locks, commit, rollback, purge. */
package dev.holdfast.core.txn;
