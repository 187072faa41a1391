// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/** Which contended waits are timed. */
public enum WaitTiming {
    /** None. */
    OFF,
    /** One in {@value SiteCounters#SAMPLE_EVERY}, for each stripe of counters. */
    SAMPLED,
    /** All. */
    FULL
}
