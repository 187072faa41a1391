// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.FormatException;

/** The versions and feature bits that this code can open; one place for identity and headers. */
public final class FeatureBits {
    /** Raised by any change of bytes. Version 1: the first. */
    public static final int FORMAT_VERSION = 1;

    /** The oldest version that can be opened. */
    static final int FORMAT_VERSION_MIN = 1;

    /** The incompatible features that this code knows. None yet. */
    static final long INCOMPATIBLE_KNOWN = 0;

    private FeatureBits() {}

    /**
     * Returns if this code can open a file of that version and those features; unknown compatible
     * bits are no obstacle and are not asked for.
     */
    static void check(String file, int formatVersion, long incompatible) {
        if (formatVersion > FORMAT_VERSION) {
            throw new FormatException(
                    "format is newer than this version",
                    file,
                    "format<=" + FORMAT_VERSION,
                    "format=" + formatVersion);
        }
        if (formatVersion < FORMAT_VERSION_MIN) {
            throw new FormatException(
                    "format is too old",
                    file,
                    "format>=" + FORMAT_VERSION_MIN,
                    "format=" + formatVersion);
        }
        long unknown = incompatible & ~INCOMPATIBLE_KNOWN;
        if (unknown != 0) {
            throw new FormatException(
                    "feature is unknown to this version",
                    file,
                    "incompatibleFeatures within " + Long.toHexString(INCOMPATIBLE_KNOWN),
                    "unknown=" + Long.toHexString(unknown));
        }
    }
}
