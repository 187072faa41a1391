// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The counters of an engine that figures are made from, as its status report shows them. One that
 * is still zero is not in the report.
 *
 * @param commits transactions with changes that committed
 * @param logSyncs syncs of the redo log
 * @param pagesFixed pages that were wanted and found, or loaded
 * @param pagesMissed those of them that were not in the pool
 * @param redoBytes bytes of redo made
 */
public record EngineCounts(
        long commits, long logSyncs, long pagesFixed, long pagesMissed, long redoBytes) {
    public static final EngineCounts NONE = new EngineCounts(0, 0, 0, 0, 0);

    /** Reads them out of the text that {@code Engine.status()} returns. */
    public static EngineCounts parse(String status) {
        return new EngineCounts(
                counter(status, "txn.COMMITS"),
                counter(status, "redo.LOG_SYNCS"),
                counter(status, "buffer.PAGE_FIXES"),
                counter(status, "buffer.PAGE_FIXES_MISSED"),
                counter(status, "mtr.MTR_REDO_BYTES"));
    }

    public EngineCounts minus(EngineCounts earlier) {
        return new EngineCounts(
                commits - earlier.commits,
                logSyncs - earlier.logSyncs,
                pagesFixed - earlier.pagesFixed,
                pagesMissed - earlier.pagesMissed,
                redoBytes - earlier.redoBytes);
    }

    public double commitsPerSync() {
        return logSyncs == 0 ? 0 : (double) commits / logSyncs;
    }

    /** The share of the pages that were in the pool; one if none was wanted. */
    public double hitRatio() {
        return pagesFixed == 0 ? 1 : 1 - (double) pagesMissed / pagesFixed;
    }

    /** Returns what the report shows of one counter, named as {@code buffer.PAGES_WRITTEN} is. */
    public static long counter(String status, String name) {
        Matcher found =
                Pattern.compile("^" + Pattern.quote(name) + "=(\\d+)", Pattern.MULTILINE)
                        .matcher(status);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }
}
