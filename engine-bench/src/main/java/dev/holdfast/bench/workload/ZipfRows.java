// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.util.SplittableRandom;

/**
 * Rows drawn so that few of them are drawn often: the scrambled Zipf distribution of YCSB with skew
 * 0.99. Immutable, for all threads.
 */
public final class ZipfRows {
    /*
     * Gray et al., "Quickly generating billion-record synthetic databases" (1994): the rank follows
     * from one uniform number in constant time; the sum over all ranks is made once. The ranks are
     * then spread over the rows, else the hot rows would be neighbours.
     */

    private static final double SKEW = 0.99;

    private final long rows;
    private final double sum;
    private final double exponent;
    private final double eta;
    private final double firstTwo;

    public ZipfRows(long rows) {
        this.rows = rows;
        double total = 0;
        for (long rank = 1; rank <= rows; rank++) {
            total += 1 / Math.pow((double) rank, SKEW);
        }
        sum = total;
        exponent = 1 / (1 - SKEW);
        firstTwo = 1 + Math.pow(0.5, SKEW);
        eta = (1 - Math.pow(2.0 / rows, 1 - SKEW)) / (1 - firstTwo / sum);
    }

    public long next(SplittableRandom random) {
        return Math.floorMod(RowKeys.mixed(rank(random.nextDouble())), rows);
    }

    /** Returns the rank, from zero, that a uniform number from zero to one stands for. */
    public long rank(double uniform) {
        double weighed = uniform * sum;
        if (weighed < 1) {
            return 0;
        }
        if (weighed < firstTwo) {
            return 1;
        }
        return Math.min(rows - 1, (long) (rows * Math.pow(eta * uniform - eta + 1, exponent)));
    }
}
