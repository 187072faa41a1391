// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

/** Knows which versions nobody needs any more, so that a page may drop them. */
@FunctionalInterface
public interface SettledVersions {
    /** Never drops. */
    SettledVersions NONE = txnId -> false;

    /**
     * Whether a transaction is committed, its commit is seen by every snapshot there is, and no
     * writer can still wait for it. Called with the leaf held exclusively: waits for nothing, locks
     * nothing, allocates nothing.
     */
    boolean isSettled(long txnId);
}
