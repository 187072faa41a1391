// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.SiteCounters;

/** The site of all latches of the cases. */
enum StressSite implements ContentionSite {
    STRESS;

    private final SiteCounters counters = new SiteCounters();

    @Override
    public String siteName() {
        return name();
    }

    @Override
    public int rank() {
        return 1;
    }

    @Override
    public String meaning() {
        return "A latch of a JCStress case.";
    }

    @Override
    public SiteCounters counters() {
        return counters;
    }
}
