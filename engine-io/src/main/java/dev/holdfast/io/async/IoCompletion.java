// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

/** Is told when a background transfer has ended. */
@FunctionalInterface
public interface IoCompletion {

    /**
     * The transfer has ended, and the request is its owner's again.
     *
     * <p>Called once for each accepted request, by a thread that does IO for all: it must not wait,
     * not for the scheduler either ({@code trySubmit} is allowed), and not throw.
     *
     * @param failure null if all bytes were transferred; of a failed write any part may have
     *     arrived
     */
    void completed(IoRequest request, Throwable failure);
}
