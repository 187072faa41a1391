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
        return new ContentionReport(sites.stream().map(Row::of).toList());
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

    /**
     * One line per site that was waited for, under a heading. Figures that rest on a sample of the
     * waits begin with a tilde.
     */
    public String toText() {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "site",
                "contended",
                "spins",
                "parks",
                "restarts",
                "timeouts",
                "wait-ms",
                "p50-us",
                "p99-us",
                "max-us");
        for (Row row : rows) {
            if (!row.isQuiet()) {
                line(
                        text,
                        row.siteName,
                        row.contendedAcquires,
                        row.spinRounds,
                        row.parks,
                        row.optimisticRestarts,
                        row.timeouts,
                        row.text(row.waitNanos(), TimeUnit.MILLISECONDS),
                        row.text(row.percentileNanos(50), TimeUnit.MICROSECONDS),
                        row.text(row.percentileNanos(99), TimeUnit.MICROSECONDS),
                        row.text(row.maxNanos(), TimeUnit.MICROSECONDS));
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, Object... columns) {
        text.append(
                String.format(
                        Locale.ROOT,
                        "%-20s %12s %12s %12s %10s %9s %14s %13s %13s %13s%n",
                        columns));
    }

    /**
     * One site.
     *
     * @param contendedAcquires how many waits have begun, timed or not
     * @param timedWaits how many of those are timed
     * @param timedWaitNanos the sum of the timed waits that have ended
     * @param waits each of the timed waits that have ended
     */
    public record Row(
            String siteName,
            String meaning,
            int rank,
            long contendedAcquires,
            long spinRounds,
            long parks,
            long optimisticRestarts,
            long timeouts,
            long timedWaits,
            long timedWaitNanos,
            Histogram.Snapshot waits) {

        static Row of(ContentionSite site) {
            SiteCounters counters = site.counters();
            // The timed ones first: read later, they might be more than all.
            long timedWaits = counters.timedWaits();
            return new Row(
                    site.siteName(),
                    site.meaning(),
                    site.rank(),
                    counters.contendedAcquires(),
                    counters.spinRounds(),
                    counters.parks(),
                    counters.optimisticRestarts(),
                    counters.timeouts(),
                    timedWaits,
                    counters.timedWaitNanos(),
                    counters.waits());
        }

        /**
         * How long all waits together took, those that were not timed estimated by the mean of the
         * others. Waits under way are not in it.
         */
        public long waitNanos() {
            long ended = waits.count();
            if (ended == 0) {
                return 0;
            }
            double mean = (double) timedWaitNanos / ended;
            return timedWaitNanos + Math.round(mean * (contendedAcquires - timedWaits));
        }

        /** Whether some waits were not timed, so that all times here rest on a sample. */
        public boolean isEstimated() {
            return timedWaits < contendedAcquires;
        }

        /**
         * An upper bound, within a factor of two, of the time that {@code percent} of the waits did
         * not exceed; zero if none was timed.
         */
        public long percentileNanos(double percent) {
            return waits.percentile(percent);
        }

        /** An upper bound, within a factor of two, of the longest timed wait; zero if none was. */
        public long maxNanos() {
            return waits.max();
        }

        private boolean isQuiet() {
            return contendedAcquires == 0 && optimisticRestarts == 0;
        }

        private String text(long nanos, TimeUnit unit) {
            if (waits.count() == 0) {
                return "-";
            }
            String mark = isEstimated() ? "~" : "";
            return mark + String.format(Locale.ROOT, "%.3f", (double) nanos / unit.toNanos(1));
        }

        private Row minus(Row before) {
            return new Row(
                    siteName,
                    meaning,
                    rank,
                    contendedAcquires - before.contendedAcquires,
                    spinRounds - before.spinRounds,
                    parks - before.parks,
                    optimisticRestarts - before.optimisticRestarts,
                    timeouts - before.timeouts,
                    timedWaits - before.timedWaits,
                    timedWaitNanos - before.timedWaitNanos,
                    waits.since(before.waits));
        }
    }
}
