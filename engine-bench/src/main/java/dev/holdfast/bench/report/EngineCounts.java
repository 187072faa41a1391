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
 * @param pagesMissed pages that were wanted and not in the pool
 * @param leavesCopied leaves that cursors came to
 * @param overflowPages pages of long values read and written
 * @param redoBytes bytes of redo made
 */
public record EngineCounts(
        long commits,
        long logSyncs,
        long pagesMissed,
        long leavesCopied,
        long overflowPages,
        long redoBytes) {
    public static final EngineCounts NONE = new EngineCounts(0, 0, 0, 0, 0, 0);

    /** Reads them out of the text that {@code Engine.status()} returns. */
    public static EngineCounts parse(String status) {
        return new EngineCounts(
                counter(status, "txn.COMMITS"),
                counter(status, "redo.LOG_SYNCS"),
                counter(status, "buffer.PAGE_FIXES_MISSED"),
                counter(status, "btree.CURSOR_LEAVES"),
                counter(status, "btree.OVERFLOW_PAGES_READ")
                        + counter(status, "btree.OVERFLOW_PAGES_WRITTEN"),
                counter(status, "mtr.MTR_REDO_BYTES"));
    }

    public EngineCounts minus(EngineCounts earlier) {
        return new EngineCounts(
                commits - earlier.commits,
                logSyncs - earlier.logSyncs,
                pagesMissed - earlier.pagesMissed,
                leavesCopied - earlier.leavesCopied,
                overflowPages - earlier.overflowPages,
                redoBytes - earlier.redoBytes);
    }

    public double commitsPerSync() {
        return logSyncs == 0 ? 0 : (double) commits / logSyncs;
    }

    /** Returns what the report shows of one counter, named as {@code buffer.PAGES_WRITTEN} is. */
    public static long counter(String status, String name) {
        Matcher found =
                Pattern.compile("^" + Pattern.quote(name) + "=(\\d+)", Pattern.MULTILINE)
                        .matcher(status);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }
}
