// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** Whether waits, for latches and all others, are timed. They are counted in any case. */
public enum WaitTiming {
    /** No wait is timed. */
    OFF,
    /** Some are, and stand for the rest. */
    SAMPLED,
    /** All are. */
    FULL
}
