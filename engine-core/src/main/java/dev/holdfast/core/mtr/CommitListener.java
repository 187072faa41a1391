// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

/** Hears of pages that a mini-transaction made free, once its group is published. */
@FunctionalInterface
public interface CommitListener {
    /** Called after the latches are released; must not throw. */
    void published(long pageId);
}
