// SPDX-License-Identifier: Apache-2.0

/**
 * B-trees of slotted pages with fences: search, change, split, merge, cursors and overflow values.
 *
 * <p>{@link dev.holdfast.core.btree.BTree} is one tree. Readers descend by version checks and write
 * nothing shared; writers latch the leaf alone; structure changes latch parent and child and are
 * one group a level ({@code TreeGrowth}, {@code TreeShrink}). A change of a page is first written
 * as the body of its redo record and then applied from it ({@code NodeChange}), so that recovery,
 * which applies the same body by the same method, cannot differ.
 *
 * <p>Called by catalog, undo, txn and check; calls space, mtr, buffer and page. No thread of its
 * own runs here. Protocols kept: P1, P7, P9, P12, P15, P17 of the design; invariants B1 to B12 in
 * {@code docs/architecture/btree.md}. The format is in {@code docs/format/tree-page.md} and {@code
 * docs/format/overflow-page.md}.
 */
package dev.holdfast.core.btree;
