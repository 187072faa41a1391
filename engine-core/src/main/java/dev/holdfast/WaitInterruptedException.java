// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The thread was interrupted before or while it waited for a row lock, or for its turn when as many
 * transactions as there can be are active. The statement left nothing of itself; the transaction is
 * still active, and the thread's interrupt flag is still set, so that the next such wait ends
 * likewise.
 */
public final class WaitInterruptedException extends UsageException {
    private static final long serialVersionUID = 1L;

    /** Creates it with what was waited for, such as {@code row lock}. */
    public WaitInterruptedException(String wanted) {
        super("wait was interrupted: wanted=" + wanted, null);
    }
}
