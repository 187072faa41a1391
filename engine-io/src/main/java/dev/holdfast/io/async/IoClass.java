// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

/**
 * Who asks for background IO, most urgent first. Reads and writes that a user waits for, and the
 * log's, are of no class: they go to their file at once.
 */
public enum IoClass {
    /** Pages written so that frames become free and the log can be cut. */
    CLEANER,

    /** Pages read since a scan will want them soon. */
    READ_AHEAD,

    /** Warm-up after opening, backup: what has time. */
    BACKGROUND
}
