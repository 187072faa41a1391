// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What was waited for, by site, the longest wait first. A copy of the counters at one time; making
 * one resets nothing and takes no latch.
 *
 * @param rows sorted by wait, then by contended acquires
 */
public record ContentionReport(List<Row> rows) {
    private static final Comparator<Row> BY_WAIT =
            Comparator.comparingLong(Row::waitNanos)
                    .thenComparingLong(Row::contendedAcquires)
                    .thenComparingLong(Row::optimisticRestarts)
                    .reversed()
                    .thenComparing(Row::siteName);

    public ContentionReport {
        rows = rows.stream().sorted(BY_WAIT).toList();
    }

    /** Reads the counters of these sites. */
    public static ContentionReport of(Collection<? extends ContentionSite> sites) {
        List<Row> rows = new ArrayList<>();
        for (ContentionSite site : sites) {
            SiteCounters counters = site.counters();
            rows.add(
                    new Row(
                            site.siteName(),
                            site.rank(),
                            counters.contendedAcquires(),
                            counters.spinRounds(),
                            counters.parks(),
                            counters.optimisticRestarts(),
                            counters.timedWaits(),
                            counters.timedWaitNanos()));
        }
        return new ContentionReport(rows);
    }

    /** What came since an earlier report of the same sites; a site it lacks counts from zero. */
    public ContentionReport since(ContentionReport previous) {
        Map<String, Row> earlier = new HashMap<>();
        previous.rows.forEach(row -> earlier.put(row.siteName, row));
        List<Row> differences = new ArrayList<>();
        for (Row row : rows) {
            Row before = earlier.get(row.siteName);
            differences.add(before == null ? row : row.minus(before));
        }
        return new ContentionReport(differences);
    }

    /** The first {@code count} rows. */
    public ContentionReport top(int count) {
        return new ContentionReport(rows.subList(0, Math.min(count, rows.size())));
    }

    /** One line per site that was waited for, under a heading. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%-24s %12s %12s %12s %12s %12s%n",
                        "site",
                        "contended",
                        "spins",
                        "parks",
                        "restarts",
                        "wait ms"));
        for (Row row : rows) {
            if (row.isQuiet()) {
                continue;
            }
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-24s %12d %12d %12d %12d %12s%n",
                            row.siteName,
                            row.contendedAcquires,
                            row.spinRounds,
                            row.parks,
                            row.optimisticRestarts,
                            row.waitText()));
        }
        return text.toString();
    }

    /**
     * One site.
     *
     * @param timedWaits how many of the contended acquires were timed
     * @param timedWaitNanos the sum of those
     */
    public record Row(
            String siteName,
            int rank,
            long contendedAcquires,
            long spinRounds,
            long parks,
            long optimisticRestarts,
            long timedWaits,
            long timedWaitNanos) {

        /** The wait of all contended acquires, estimated from those that were timed. */
        public long waitNanos() {
            if (timedWaits == 0) {
                return 0;
            }
            double scale = Math.max(1, (double) contendedAcquires / timedWaits);
            return Math.round(timedWaitNanos * scale);
        }

        private boolean isQuiet() {
            return contendedAcquires == 0 && optimisticRestarts == 0;
        }

        private String waitText() {
            return timedWaits == 0
                    ? "-"
                    : String.format(
                            Locale.ROOT,
                            "%.3f",
                            (double) waitNanos() / TimeUnit.MILLISECONDS.toNanos(1));
        }

        private Row minus(Row before) {
            return new Row(
                    siteName,
                    rank,
                    contendedAcquires - before.contendedAcquires,
                    spinRounds - before.spinRounds,
                    parks - before.parks,
                    optimisticRestarts - before.optimisticRestarts,
                    timedWaits - before.timedWaits,
                    timedWaitNanos - before.timedWaitNanos);
        }
    }
}
