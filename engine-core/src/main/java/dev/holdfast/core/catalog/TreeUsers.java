// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

/** Knows who still needs the tree of a dropped table; {@code core.txn} does. */
@FunctionalInterface
public interface TreeUsers {
    /**
     * Whether a transaction that has written the table is active or not yet rolled back, or purge
     * is at work in it. The table is DROPPING, so once this is false it stays so. Never waits.
     */
    boolean isUsed(TableDescriptor table);
}
