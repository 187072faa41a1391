// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

/** Takes what the checks of a tree find. */
@FunctionalInterface
public interface TreeFindings {
    /**
     * One breach.
     *
     * @param pageId the page that shows it
     * @param invariant its number in {@code docs/architecture/btree.md}
     */
    void found(long pageId, String invariant, String what, String expected, String found);
}
