// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.Arrays;
import java.util.Objects;

/**
 * A range of keys and a direction in which to walk it. Immutable; the arrays given are copied.
 *
 * <p>Where two bounds are given the lower one comes first, also for a range that is then {@link
 * #reversed}; bounds the wrong way round are an {@link IllegalArgumentException}.
 */
public final class Range {
    /*
     * Every range is kept as half open, [from, to): the keys above k begin with k followed by a
     * zero byte, since nothing lies between the two. So those who use it know one form only. A
     * range without an end has null there; one without a beginning begins with the empty key,
     * which is the smallest.
     */

    private static final byte[] EMPTY_KEY = {};
    private static final Range ALL = new Range(EMPTY_KEY, null, false);

    private final byte[] from;
    private final byte[] to;
    private final boolean isReversed;

    private Range(byte[] from, byte[] to, boolean isReversed) {
        this.from = from;
        this.to = to;
        this.isReversed = isReversed;
    }

    /** All keys there are. */
    public static Range all() {
        return ALL;
    }

    /** All keys that begin with the bytes given; all keys at all if there are none. */
    public static Range prefix(byte[] prefix) {
        return new Range(prefix.clone(), successorOfPrefix(prefix), false);
    }

    /** From lower to upper, both included. */
    public static Range closed(byte[] lower, byte[] upper) {
        checkOrder(lower, upper);
        return new Range(lower.clone(), above(upper), false);
    }

    /** From lower, included, to upper, excluded. */
    public static Range closedOpen(byte[] lower, byte[] upper) {
        checkOrder(lower, upper);
        return new Range(lower.clone(), upper.clone(), false);
    }

    /** From lower to upper, both excluded. */
    public static Range open(byte[] lower, byte[] upper) {
        checkOrder(lower, upper);
        return new Range(above(lower), upper.clone(), false);
    }

    /** From the key, included, to the end. */
    public static Range atLeast(byte[] key) {
        return new Range(key.clone(), null, false);
    }

    /** From the key, excluded, to the end. */
    public static Range greaterThan(byte[] key) {
        return new Range(above(key), null, false);
    }

    /** From the beginning to the key, included. */
    public static Range atMost(byte[] key) {
        return new Range(EMPTY_KEY, above(key), false);
    }

    /** From the beginning to the key, excluded. */
    public static Range lessThan(byte[] key) {
        return new Range(EMPTY_KEY, key.clone(), false);
    }

    /** Returns the same keys in the other direction. */
    public Range reversed() {
        return new Range(from, to, !isReversed);
    }

    /** Says whether it is walked from great keys to small ones. */
    public boolean isReversed() {
        return isReversed;
    }

    /** Returns a copy of the smallest key that may be in it; empty if it has no beginning. */
    public byte[] from() {
        return from.clone();
    }

    /** Returns a copy of the smallest key that is above it, or {@code null} if it has no end. */
    public byte[] to() {
        return to == null ? null : to.clone();
    }

    /** Says whether no key at all can be in it. */
    public boolean isEmpty() {
        return to != null && Arrays.compareUnsigned(from, to) >= 0;
    }

    /** Says whether a key is in it; the direction is of no matter. */
    public boolean contains(byte[] key) {
        return Arrays.compareUnsigned(from, key) <= 0
                && (to == null || Arrays.compareUnsigned(key, to) < 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Range that
                && isReversed == that.isReversed
                && Arrays.equals(from, that.from)
                && Arrays.equals(to, that.to);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(from), Arrays.hashCode(to), isReversed);
    }

    @Override
    public String toString() {
        return "Range[from="
                + KeyText.of(from)
                + ", to="
                + (to == null ? "end" : KeyText.of(to))
                + ", reversed="
                + isReversed
                + "]";
    }

    private static void checkOrder(byte[] lower, byte[] upper) {
        if (Arrays.compareUnsigned(lower, upper) > 0) {
            throw new IllegalArgumentException(
                    "bounds are the wrong way round: lower="
                            + KeyText.of(lower)
                            + ", upper="
                            + KeyText.of(upper));
        }
    }

    /** Returns the smallest key above the one given. */
    private static byte[] above(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** Returns the smallest key above all that begin with the prefix, or null if there is none. */
    private static byte[] successorOfPrefix(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return null;
        }
        byte[] successor = Arrays.copyOf(prefix, length);
        successor[length - 1]++;
        return successor;
    }
}
