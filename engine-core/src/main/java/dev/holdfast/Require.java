// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.time.Duration;

/** Checks of option values; a message names the option, the value and the limit. */
final class Require {
    private Require() {}

    static int between(String option, int value, int min, int max) {
        return (int) between(option, (long) value, min, max);
    }

    static long between(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw outOfRange(option, value, "min=" + min + ", max=" + max);
        }
        return value;
    }

    static Duration between(String option, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw outOfRange(option, value, "min=" + min + ", max=" + max);
        }
        return value;
    }

    /** Makes the exception, with what is allowed as {@code name=value} pairs. */
    static IllegalArgumentException outOfRange(String option, Object value, String allowed) {
        return new IllegalArgumentException(
                "option out of range: option=" + option + ", value=" + value + ", " + allowed);
    }
}
