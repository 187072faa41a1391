// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.bench.report.PairedRatios;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Runs two turns A B B A … and compares them pair by pair.
 *
 * @param warmupPairs that are run and not counted
 * @param pairs that count
 */
public record PairedTurns(int warmupPairs, int pairs) {
    public PairedTurns {
        if (warmupPairs < 0 || pairs < 1) {
            throw new IllegalArgumentException(
                    "nothing to compare: warmupPairs=" + warmupPairs + ", pairs=" + pairs);
        }
    }

    /** Runs both in turn; the ratio is the second's over the first's. */
    public Result run(Turn first, Turn second)
            throws IOException, InterruptedException, ExecutionException {
        List<Double> firsts = new ArrayList<>();
        List<Double> seconds = new ArrayList<>();
        for (int pair = -warmupPairs; pair < pairs; pair++) {
            boolean isFirstFirst = pair % 2 == 0;
            double one = (isFirstFirst ? first : second).unitsPerSecond();
            double other = (isFirstFirst ? second : first).unitsPerSecond();
            if (pair >= 0) {
                firsts.add(isFirstFirst ? one : other);
                seconds.add(isFirstFirst ? other : one);
            }
        }
        return new Result(
                PairedRatios.median(firsts),
                PairedRatios.median(seconds),
                PairedRatios.of(seconds, firsts));
    }

    /** One of the two. */
    @FunctionalInterface
    public interface Turn {
        /** Runs once, and says how fast it was. */
        double unitsPerSecond() throws IOException, InterruptedException, ExecutionException;
    }

    /**
     * What came of it.
     *
     * @param first median of the first, in units a second
     * @param second median of the second
     * @param ratio of the second over the first
     */
    public record Result(double first, double second, PairedRatios ratio) {}
}
