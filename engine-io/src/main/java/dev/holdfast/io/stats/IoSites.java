// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.stats;

import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.SiteCounters;

/**
 * What a thread can wait for inside this module.
 *
 * <p>The ranks lie above those of the engine's latches, since IO is done while some of these are
 * held; see {@code docs/architecture/latching.md}.
 */
public enum IoSites implements ContentionSite {
    /** See {@link #meaning}. */
    IO_HAND_OVER(1000, "a virtual thread waits for a place among the calls to IO threads"),

    /** See {@link #meaning}. */
    IO_QUEUE(1010, "background IO waits for a place in the queue of its class"),

    /** See {@link #meaning}. */
    IO_GROUP(1020, "a background thread waits for the transfers that it has submitted");

    private final int rank;
    private final String meaning;
    private final SiteCounters counters = new SiteCounters();

    IoSites(int rank, String meaning) {
        this.rank = rank;
        this.meaning = meaning;
    }

    @Override
    public String siteName() {
        return name();
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public String meaning() {
        return meaning;
    }

    @Override
    public SiteCounters counters() {
        return counters;
    }
}
