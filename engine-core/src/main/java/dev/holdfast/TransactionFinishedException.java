// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The snapshot or transaction was used after its end: commit, rollback or close. */
public final class TransactionFinishedException extends UsageException {
    private static final long serialVersionUID = 1L;

    /** Creates it with what was used, such as {@code snapshot}, and the end that it came to. */
    public TransactionFinishedException(String used, String end) {
        super(used + " is finished: end=" + end, null);
    }
}
