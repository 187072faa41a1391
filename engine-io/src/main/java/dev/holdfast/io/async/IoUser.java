// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

/**
 * Who takes of the budget of background IO, {@link IoCapacity}: the classes of requests, and who
 * reads in its own thread.
 */
public enum IoUser {
    /** Pages written so that frames become free and the log can be cut. */
    CLEANER(0),

    /** Pages that purge read since its history was no longer in the pool. */
    PURGE(0),

    /** Pages read since a scan will want them soon. */
    READ_AHEAD(0.25),

    /** Warm-up after opening, backup, conversion: what has time. */
    BACKGROUND(0.5);

    private final double keptForOthers;

    IoUser(double keptForOthers) {
        this.keptForOthers = keptForOthers;
    }

    /** The share of the bucket that it leaves to those above it. */
    double keptForOthers() {
        return keptForOthers;
    }
}
