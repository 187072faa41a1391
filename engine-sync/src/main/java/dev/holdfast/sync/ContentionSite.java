// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The name under which latches wait and are counted. Meant for an enum: one constant per kind of
 * latch, with its own {@link SiteCounters}.
 *
 * <p>The constants of an enum are one per JVM, and so are the counters: two engines in one JVM add
 * to the same ones.
 */
public interface ContentionSite {
    /** The name in reports and messages, as in {@code PAGE}. */
    String siteName();

    /** The place in the latch order: a thread waits only for a rank above all it holds. */
    int rank();

    /** One sentence on what the latch protects. */
    String meaning();

    /** Where contention on this site's latches is counted; always the same object. */
    SiteCounters counters();

    /** Whether a thread that holds a latch of this rank may wait for another of this rank. */
    default boolean allowsSameRank() {
        return false;
    }
}
