// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.bench.report.PairedRatios;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Compares two or more sides in one run, A B A B …, so that what the machine does meanwhile falls
 * on all of them.
 *
 * @param warmupRounds rounds that are run and not counted
 * @param rounds that count
 */
public record Alternation(int warmupRounds, int rounds) {
    /** Runs all sides in turn. */
    public Result run(List<Side> sides, Listener listener)
            throws IOException, InterruptedException, ExecutionException {
        List<List<Double>> rates = new ArrayList<>();
        for (int side = 0; side < sides.size(); side++) {
            rates.add(new ArrayList<>());
        }
        for (int round = 0; round < warmupRounds + rounds; round++) {
            for (int side = 0; side < sides.size(); side++) {
                double rate = sides.get(side).unitsPerSecond();
                if (round >= warmupRounds) {
                    rates.get(side).add(rate);
                    listener.ran(round - warmupRounds, side, rate);
                }
            }
        }
        return new Result(rates);
    }

    /** One of what is compared. */
    public interface Side {
        /** Runs once, from the beginning, and says how fast it was. */
        double unitsPerSecond() throws IOException, InterruptedException, ExecutionException;
    }

    /** Hears of each run that counts. */
    public interface Listener {
        void ran(int round, int side, double unitsPerSecond);
    }

    /**
     * Units in a second.
     *
     * @param rates a list for each side, run by run
     */
    public record Result(List<List<Double>> rates) {
        public Result {
            List<List<Double>> copies = new ArrayList<>();
            for (List<Double> each : rates) {
                copies.add(List.copyOf(each));
            }
            rates = List.copyOf(copies);
        }

        /** The median of a side. */
        public double median(int side) {
            return PairedRatios.median(rates.get(side));
        }

        /** A side over the first, round by round: above one, it is faster than that. */
        public PairedRatios overFirst(int side) {
            return PairedRatios.of(rates.get(side), rates.get(0));
        }

        /** The greatest over the smallest of each side, the worst of them: the noise. */
        public double spread() {
            double worst = 1;
            for (List<Double> each : rates) {
                worst = Math.max(worst, Collections.max(each) / Collections.min(each));
            }
            return worst;
        }
    }
}
