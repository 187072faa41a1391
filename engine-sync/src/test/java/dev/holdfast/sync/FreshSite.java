// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/** A site of its own for one test, so that its counters begin at zero. */
record FreshSite(String siteName, int rank, SiteCounters counters) implements ContentionSite {
    FreshSite() {
        this("FRESH");
    }

    FreshSite(String siteName) {
        this(siteName, 1, new SiteCounters());
    }

    @Override
    public String meaning() {
        return "A latch of a test.";
    }

    @Override
    public boolean allowsSameRank() {
        return true;
    }
}
