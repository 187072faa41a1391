// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.WaitReport;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.ContentionReport;
import dev.holdfast.sync.ContentionSite;
import java.util.ArrayList;
import java.util.List;

/** What threads have waited for at the sites of the core and of the files, as the API has it. */
final class SiteWaits implements WaitReport {
    private static final int MEDIAN = 50;
    private static final int P99 = 99;

    private final ContentionReport report;

    private SiteWaits(ContentionReport report) {
        this.report = report;
    }

    /** As it is now. */
    static SiteWaits now() {
        List<ContentionSite> sites = new ArrayList<>(List.of(CoreSites.values()));
        sites.addAll(List.of(IoSites.values()));
        return new SiteWaits(ContentionReport.of(sites));
    }

    @Override
    public List<Row> rows() {
        return report.rows().stream().map(SiteWaits::row).toList();
    }

    private static Row row(ContentionReport.Row row) {
        return new Row(
                row.siteName(),
                row.meaning(),
                row.contendedAcquires(),
                row.spinRounds(),
                row.parks(),
                row.optimisticRestarts(),
                row.timeouts(),
                row.waitNanos(),
                row.isEstimated(),
                row.percentileNanos(MEDIAN),
                row.percentileNanos(P99),
                row.maxNanos());
    }

    @Override
    public WaitReport top(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is negative: count=" + count);
        }
        return new SiteWaits(report.top(count));
    }

    @Override
    public WaitReport since(WaitReport earlier) {
        if (!(earlier instanceof SiteWaits waits)) {
            throw new IllegalArgumentException("not the report of an engine: earlier=" + earlier);
        }
        return new SiteWaits(report.since(waits.report));
    }

    @Override
    public String toText() {
        return report.toText();
    }

    @Override
    public String toString() {
        return toText();
    }
}
