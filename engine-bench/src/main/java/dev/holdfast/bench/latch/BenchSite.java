// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.SiteCounters;

/**
 * The site of the latches that are measured; one for each, so that none inherits another's spins.
 */
final class BenchSite implements ContentionSite {
    private static final int RANK = 100;

    private final SiteCounters counters = new SiteCounters();

    @Override
    public String siteName() {
        return "BENCH";
    }

    @Override
    public int rank() {
        return RANK;
    }

    @Override
    public String meaning() {
        return "A latch that is measured.";
    }

    @Override
    public SiteCounters counters() {
        return counters;
    }
}
