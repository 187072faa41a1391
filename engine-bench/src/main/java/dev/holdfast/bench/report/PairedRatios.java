// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The median of the ratios of measurements made in pairs, and an interval that holds the true one.
 *
 * <p>The interval is that of the sign test: it lies between two of the sorted ratios, chosen so
 * that by the binomial distribution the true median is between them with at least 95 % probability.
 * It assumes nothing of how the ratios are distributed, only that the pairs are independent. With
 * fewer than six pairs no two ratios reach that; then it is the range of all, and {@code coverage}
 * says what that is worth.
 *
 * @param pairs how many there were
 * @param median of the ratios
 * @param low the interval's lower end
 * @param high its upper end
 * @param coverage the probability with which the interval holds the true median
 */
public record PairedRatios(int pairs, double median, double low, double high, double coverage) {
    private static final double WANTED = 0.95;

    /**
     * Pairs the measurements of two sides by their place in the lists.
     *
     * @param above the numerators
     * @param below the denominators, all positive
     */
    public static PairedRatios of(List<Double> above, List<Double> below) {
        if (above.isEmpty() || above.size() != below.size()) {
            throw new IllegalArgumentException(
                    "no pairs: above=" + above.size() + ", below=" + below.size());
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < above.size(); i++) {
            double ratio = above.get(i) / below.get(i);
            if (!(ratio >= 0) || Double.isInfinite(ratio)) {
                throw new IllegalArgumentException(
                        "no ratio: above=" + above.get(i) + ", below=" + below.get(i));
            }
            ratios.add(ratio);
        }
        Collections.sort(ratios);
        int pairs = ratios.size();
        int outside = outside(pairs);
        return new PairedRatios(
                pairs,
                median(ratios),
                ratios.get(outside),
                ratios.get(pairs - 1 - outside),
                coverage(pairs, outside));
    }

    /** The middle of the values, or the mean of the two that share it. */
    public static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The greatest loss, as a share, that the interval does not exclude; zero if it is a gain. */
    public double worstLoss() {
        return Math.max(0, 1 - low);
    }

    /** How many of the sorted ratios may be left out at each end. */
    private static int outside(int pairs) {
        int outside = 0;
        while (outside + 1 < (pairs + 1) / 2 && coverage(pairs, outside + 1) >= WANTED) {
            outside++;
        }
        return outside;
    }

    /**
     * The true median lies beyond an end of the interval only if at most {@code outside} of the
     * pairs fall on that side of it, each with probability one half.
     */
    private static double coverage(int pairs, int outside) {
        double probability = Math.pow(0.5, pairs);
        double beyond = 0;
        for (int k = 0; k <= outside; k++) {
            beyond += probability;
            probability *= (double) (pairs - k) / (k + 1);
        }
        return Math.max(0, 1 - 2 * beyond);
    }
}
