// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.mtr.MiniTransaction;

/**
 * Who owns a chain of overflow pages from its first group on: an undo record, so that a crash or a
 * rollback frees a chain that no row points to yet.
 */
public interface OverflowOwner {
    /** A bound on what {@link #own} logs. */
    int redoBytesMax();

    /**
     * Latches the page that will name the chain; before the first change and before the allocation
     * maps. It may fail; then nothing was changed.
     */
    void latch(MiniTransaction m);

    /** Records the chain in the group that makes its head. Nothing may be thrown. */
    void own(MiniTransaction m, int headPageNumber, int totalLength);
}
