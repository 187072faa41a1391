// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

/** Finds the table of a tree id, for rollback and purge, which know nothing else. */
@FunctionalInterface
public interface TableSource {
    /** The table of the tree, or {@code null} if it was dropped. */
    TableHandle byTreeId(int treeId);
}
