// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

/**
 * Checks that are always on: where a breach could reach the disk. They allocate nothing unless they
 * fail, and what they throw poisons the engine when it is thrown inside a critical section.
 */
public final class Invariants {
    private Invariants() {}

    /**
     * Throws if the condition does not hold.
     *
     * @param what names the condition and, in order, the two values
     */
    public static void check(boolean condition, String what, long first, long second) {
        if (!condition) {
            throw new IllegalStateException(
                    "invariant broken: " + what + ": first=" + first + ", second=" + second);
        }
    }

    /** Throws if the condition does not hold. */
    public static void check(boolean condition, String what, long value) {
        if (!condition) {
            throw new IllegalStateException("invariant broken: " + what + ": value=" + value);
        }
    }
}
