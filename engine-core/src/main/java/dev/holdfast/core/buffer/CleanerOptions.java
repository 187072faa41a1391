// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/**
 * What the page cleaner aims at.
 *
 * @param ageLimitBytes the log age at which writers begin to wait
 * @param ioCapacity pages a second that background work may write in calm times
 * @param ioCapacityMax the same when the log is nearly full
 */
public record CleanerOptions(long ageLimitBytes, int ioCapacity, int ioCapacityMax) {
    public CleanerOptions {
        if (ageLimitBytes < 1 || ioCapacity < 1 || ioCapacityMax < ioCapacity) {
            throw new IllegalArgumentException(
                    "bad cleaner: ageLimitBytes="
                            + ageLimitBytes
                            + ", ioCapacity="
                            + ioCapacity
                            + ", ioCapacityMax="
                            + ioCapacityMax);
        }
    }

    /** Twice the capacity as the maximum. */
    public static CleanerOptions of(long ageLimitBytes, int ioCapacity) {
        return new CleanerOptions(ageLimitBytes, ioCapacity, 2 * ioCapacity);
    }
}
