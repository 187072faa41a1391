// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.time.Duration;

/**
 * As many transactions were active as {@link EngineOptions#maxConcurrentTransactions} allows, for
 * longer than {@link EngineOptions#admissionTimeout}. Thrown before the transaction has begun.
 */
public final class AdmissionTimeoutException extends RetryableException {
    private static final long serialVersionUID = 1L;

    public AdmissionTimeoutException(int maxConcurrentTransactions, Duration waited) {
        super(
                "no transaction slot in time: maxConcurrentTransactions="
                        + maxConcurrentTransactions
                        + ", waitedMillis="
                        + waited.toMillis(),
                null);
    }
}
