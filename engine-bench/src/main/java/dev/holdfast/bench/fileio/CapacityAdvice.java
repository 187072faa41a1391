// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code ioCapacity} should be on a device, and why.
 *
 * @param pagesPerSecond the number
 * @param reasons lines of text
 */
public record CapacityAdvice(int pagesPerSecond, List<String> reasons) {
    /*
     * The capacity is a budget of all background work in pages a second. What a page costs that
     * the cleaner writes is measured whole: its copy in the doublewrite file, the write in its
     * place, the syncs. Read-ahead takes from the same budget. So the lesser of pages flushed and
     * pages read is the ceiling; half of it is given to the background, the other half is for what
     * users wait for. Reads and writes are taken at the least depth that reaches nearly all of the
     * best, since beyond it requests only wait longer.
     */
    static final double NEARLY_ALL = 0.9;
    static final double BACKGROUND_SHARE = 0.5;

    /** The limits of the option. */
    static final int LEAST = 100;

    static final int MOST = 10_000_000;

    public CapacityAdvice {
        reasons = List.copyOf(reasons);
    }

    /**
     * Judges what was measured.
     *
     * @param readsByDepth page reads a second
     * @param writesByDepth page writes a second, without doublewrite
     * @param flushedPerSecond pages a second through the doublewrite file, with all syncs
     */
    public static CapacityAdvice of(
            Map<Integer, Double> readsByDepth,
            Map<Integer, Double> writesByDepth,
            double flushedPerSecond) {
        int readDepth = knee(readsByDepth);
        int writeDepth = knee(writesByDepth);
        double reads = readsByDepth.get(readDepth);
        double writes = writesByDepth.get(writeDepth);
        double ceiling = Math.min(reads, flushedPerSecond);
        int pages = rounded(ceiling * BACKGROUND_SHARE);
        List<String> reasons = new ArrayList<>();
        reasons.add(text("page reads reach %,.0f/s at depth %d", reads, readDepth));
        reasons.add(text("page writes reach %,.0f/s at depth %d", writes, writeDepth));
        reasons.add(
                text(
                        "through doublewrite, with all syncs, %,.0f pages/s are flushed: %.0f %%"
                                + " of bare writes",
                        flushedPerSecond, 100 * flushedPerSecond / writes));
        reasons.add(
                text(
                        "half of the lesser of pages read and flushed is for background work, half"
                                + " for users: ioCapacity=%d",
                        pages));
        return new CapacityAdvice(pages, reasons);
    }

    /** The least depth that reaches nearly all of the best. */
    static int knee(Map<Integer, Double> rateByDepth) {
        double best = 0;
        for (double rate : rateByDepth.values()) {
            best = Math.max(best, rate);
        }
        for (Map.Entry<Integer, Double> each : new TreeMap<>(rateByDepth).entrySet()) {
            if (each.getValue() >= NEARLY_ALL * best) {
                return each.getKey();
            }
        }
        throw new IllegalArgumentException("no rates: rateByDepth=" + rateByDepth);
    }

    /** Two digits, downwards: more would claim more than was measured. */
    static int rounded(double pages) {
        double bounded = Math.max(LEAST, Math.min(MOST, pages));
        double unit = Math.pow(10, Math.floor(Math.log10(bounded)) - 1);
        return (int) (Math.floor(bounded / unit) * unit);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
