// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.SiteCounters;

/** Where waits for a place in a measured scheduler's queue are counted: beside the engine's own. */
final class QueueSite implements ContentionSite {
    private static final int RANK = 1_000;

    private final SiteCounters counters = new SiteCounters();

    @Override
    public String siteName() {
        return "BENCH_QUEUE";
    }

    @Override
    public int rank() {
        return RANK;
    }

    @Override
    public String meaning() {
        return "A place in the queue of a scheduler that is measured.";
    }

    @Override
    public SiteCounters counters() {
        return counters;
    }
}
