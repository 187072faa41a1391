// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

/** The API object of a view. */
interface ViewOwner {
    /**
     * Ends it for the engine's close, which has entered its view.
     *
     * @param deadlineNanos of {@code System.nanoTime}: what is not rolled back by then is left to
     *     the next open
     */
    void closeByEngine(long deadlineNanos);
}
