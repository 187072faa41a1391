// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

/** The tree was dropped while it was read; the layer that knows its name says so to the user. */
public final class TreeGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TreeGoneException(int treeId) {
        super("tree is dropped: tree=" + Integer.toUnsignedString(treeId));
    }
}
