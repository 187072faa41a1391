// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What the open files of a store did since they were opened: a row each for the checkpoint file,
 * the redo segments, the doublewrite files, and every space. A copy of the counts, which does not
 * change any more; figures of one file may be a request apart.
 *
 * @param rows a row for each file, in the order above and then by number
 */
public record FileReport(List<Row> rows) {

    /** Keeps a copy of the list. */
    public FileReport {
        rows = List.copyOf(rows);
    }

    /** Returns the sum of all rows, as a row named {@code total} whose number counts them. */
    public Row total() {
        return new Row("total", rows.size(), sum(Row::reads), sum(Row::writes), sum(Row::syncs));
    }

    private Work sum(Function<Row, Work> part) {
        return rows.stream().map(part).reduce(Work.NONE, Work::plus);
    }

    /** Returns a line for each row, and one for the total. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        rows.forEach(row -> text.append(row.toText()).append('\n'));
        return text.append(total().toText()).append('\n').toString();
    }

    /**
     * One file.
     *
     * @param name its name in the store's directory
     * @param number of a space its id, of a segment or a slot its number, else zero
     * @param syncs what it took to have the operating system write its cache; these move no pages
     */
    public record Row(String name, int number, Work reads, Work writes, Work syncs) {
        /**
         * Returns the row as a line: {@code name, number, read: n requests, n pages, s secs, ms/r,
         * write: …, sync: …, merged: n reads, n writes}.
         */
        public String toText() {
            return String.format(
                    Locale.ROOT,
                    "%s, %d, read: %s, write: %s, sync: %d requests, %s, "
                            + "merged: %d reads, %d writes",
                    name,
                    number,
                    reads.transfers(),
                    writes.transfers(),
                    syncs.requests,
                    syncs.times(),
                    reads.merges,
                    writes.merges);
        }
    }

    /**
     * Requests of one kind that succeeded.
     *
     * @param pages whole pages that were moved; of the log and the checkpoint file, blocks of 4 KiB
     * @param nanos the time of all requests together
     * @param p99Nanos at least what 99 of 100 requests took; of one file at most twice that
     * @param maxNanos at least what the longest request took, at most twice that
     * @param merges requests that are not among these, since a neighbour's moved their pages too
     */
    public record Work(
            long requests,
            long pages,
            long bytes,
            long nanos,
            long p99Nanos,
            long maxNanos,
            long merges) {
        static final Work NONE = new Work(0, 0, 0, 0, 0, 0, 0);

        private Work plus(Work other) {
            return new Work(
                    requests + other.requests,
                    pages + other.pages,
                    bytes + other.bytes,
                    nanos + other.nanos,
                    Math.max(p99Nanos, other.p99Nanos),
                    Math.max(maxNanos, other.maxNanos),
                    merges + other.merges);
        }

        /** The mean time of a request in milliseconds; zero if there was none. */
        public double millisPerRequest() {
            return requests == 0 ? 0 : seconds() * TimeUnit.SECONDS.toMillis(1) / requests;
        }

        private double seconds() {
            return (double) nanos / TimeUnit.SECONDS.toNanos(1);
        }

        private String transfers() {
            return requests + " requests, " + pages + " pages, " + times();
        }

        private String times() {
            return String.format(
                    Locale.ROOT, "%.2f secs, %.3f ms/r", seconds(), millisPerRequest());
        }
    }
}
