// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

/** Frees chains of pages; {@code core.btree} knows how overflow pages hang together. */
@FunctionalInterface
public interface ChainFreer {
    /**
     * Frees all pages of a chain whose head is CONDEMNED_CHAIN and whose epochs have passed. In
     * several groups each of which condemns what is then the head, so that a crash loses nothing.
     *
     * <p><b>Latches:</b> none held.
     */
    void freeChain(Space space, long headPageId);
}
