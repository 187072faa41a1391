// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/** Sites of three ranks; the middle one lets a thread hold several of its latches. */
enum TestSites implements ContentionSite {
    LOW(100, false),
    MIDDLE(200, true),
    HIGH(300, false);

    private final int rank;
    private final boolean allowsSameRank;
    private final SiteCounters counters = new SiteCounters();

    TestSites(int rank, boolean allowsSameRank) {
        this.rank = rank;
        this.allowsSameRank = allowsSameRank;
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
        return "A latch of a test.";
    }

    @Override
    public SiteCounters counters() {
        return counters;
    }

    @Override
    public boolean allowsSameRank() {
        return allowsSameRank;
    }
}
