// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * Two threads used one transaction or cursor at the same time. A transaction may move between
 * threads, but only one at a time may be in a call of it. The first thread's call is not disturbed.
 */
public final class ConcurrentUseException extends UsageException {
    private static final long serialVersionUID = 1L;

    /** Creates it with what was used twice, such as {@code transaction 17}. */
    public ConcurrentUseException(String used) {
        super("used by two threads at once: used=" + used, null);
    }
}
