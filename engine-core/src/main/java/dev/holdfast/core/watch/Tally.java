// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

/** Where somebody counts what he does. Counting takes no latch and allocates nothing. */
public interface Tally {
    /** Adds one. */
    void increment(Counter counter);

    /** Adds an amount, in the counter's unit. */
    void add(Counter counter, long amount);
}
