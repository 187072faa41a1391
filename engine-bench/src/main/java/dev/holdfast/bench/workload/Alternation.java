// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.bench.report.PairedRatios;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Compares two or more sides by short turns in one run, A B B A …, so that what the machine does
 * meanwhile falls on all of them.
 *
 * @param lives how often each side is begun anew
 * @param warmupRounds rounds of the first life that are run and not counted
 * @param laterWarmupRounds the same of each later life
 * @param rounds that count, divided among the lives
 * @param othersShareMax of the machine that other processes may have in a turn that counts
 */
public record Alternation(
        int lives, int warmupRounds, int laterWarmupRounds, int rounds, double othersShareMax) {
    /*
     * Two things disturb a comparison, and each has its remedy. What comes and goes (another
     * process, the disk, the host of a virtual machine) is met by short turns side by side, by the
     * ratio of each round, and by an order in which every side stands at every place equally often.
     * What stays for as long as a store is open or a JVM runs (which memory it got, what its
     * compiler decided) is the same in all rounds of a life, so rounds cannot show it: only other
     * lives can. The result therefore has an interval over the rounds and one over the lives.
     *
     * A round in which others had much of the machine is run again. That choice looks at the others
     * alone and not at how fast the side was, so it prefers neither side. There are as many such
     * attempts as rounds; then every round counts.
     */

    /** Runs all sides in turn. */
    public Result run(List<? extends LiveSide> sides, Listener listener)
            throws IOException, InterruptedException, ExecutionException {
        Run run = new Run(sides, listener);
        try {
            for (int life = 0; life < lives; life++) {
                run.live(life);
            }
        } catch (IOException | InterruptedException | ExecutionException | RuntimeException e) {
            run.endAll(e);
            throw e;
        }
        return new Result(run.rates, rounds - run.spareRounds);
    }

    /** Returns the sides in the order of a round: over the rounds, each as often at each place. */
    static List<Integer> order(int round, int sides) {
        List<Integer> order = new ArrayList<>();
        for (int place = 0; place < sides; place++) {
            order.add((place + round / 2) % sides);
        }
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }

    /** What becomes of a round. */
    public enum Outcome {
        COUNTS,
        WARMUP,
        DISTURBED
    }

    /** Hears of each round. */
    public interface Listener {
        void ran(int life, int round, List<LiveSide.Turn> turns, Outcome outcome);
    }

    /**
     * Units in a second.
     *
     * @param rates of the rounds that count: by life, side and round
     * @param disturbedRounds that were run again
     */
    public record Result(List<List<List<Double>>> rates, int disturbedRounds) {
        public Result {
            List<List<List<Double>>> copies = new ArrayList<>();
            for (List<List<Double>> life : rates) {
                copies.add(life.stream().map(List::copyOf).toList());
            }
            rates = List.copyOf(copies);
        }

        /** The median of a side. */
        public double median(int side) {
            return PairedRatios.median(all(side));
        }

        /** A side over the first, round by round: above one, it is faster than that. */
        public PairedRatios overFirst(int side) {
            return PairedRatios.of(all(side), all(0));
        }

        /** The same life by life, by the median of each. */
        public PairedRatios overFirstByLife(int side) {
            List<Double> medians = new ArrayList<>();
            for (List<List<Double>> life : rates) {
                medians.add(PairedRatios.of(life.get(side), life.get(0)).median());
            }
            return PairedRatios.of(medians, Collections.nCopies(medians.size(), 1.0));
        }

        /** The greatest loss, as a share, that not both intervals exclude; zero if it is a gain. */
        public double worstLoss(int side) {
            return Math.max(overFirst(side).worstLoss(), overFirstByLife(side).worstLoss());
        }

        /** The greatest over the smallest of each side, the worst of them: the noise. */
        public double spread() {
            double worst = 1;
            for (int side = 0; side < rates.get(0).size(); side++) {
                worst = Math.max(worst, spread(all(side)));
            }
            return worst;
        }

        private static double spread(List<Double> all) {

            return Collections.max(all) / Collections.min(all);
        }

        private List<Double> all(int side) {
            return rates.stream().flatMap(life -> life.get(side).stream()).toList();
        }
    }

    /** All lives on their way. */
    private final class Run {
        private final List<? extends LiveSide> sides;
        private final Listener listener;
        private final List<List<List<Double>>> rates = new ArrayList<>();
        private int spareRounds = rounds;

        Run(List<? extends LiveSide> sides, Listener listener) {
            this.sides = sides;
            this.listener = listener;
        }

        void live(int life) throws IOException, InterruptedException, ExecutionException {
            int wanted = rounds * (life + 1) / lives - rounds * life / lives;
            int warmup = life == 0 ? warmupRounds : laterWarmupRounds;
            List<List<Double>> ofLife = new ArrayList<>();
            for (int side = 0; side < sides.size(); side++) {
                ofLife.add(new ArrayList<>());
            }
            rates.add(ofLife);
            for (int side : order(life, sides.size())) {
                sides.get(side).begin();
            }
            for (int round = 0; ofLife.get(0).size() < wanted; round++) {
                List<LiveSide.Turn> turns = round(order(round, sides.size()));
                Outcome outcome = round < warmup ? Outcome.WARMUP : judged(turns);
                if (outcome == Outcome.COUNTS) {
                    for (int side = 0; side < sides.size(); side++) {
                        ofLife.get(side).add(turns.get(side).unitsPerSecond());
                    }
                }
                listener.ran(life, round, turns, outcome);
            }
            for (LiveSide side : sides) {
                side.end();
            }
        }

        private List<LiveSide.Turn> round(List<Integer> order)
                throws IOException, InterruptedException, ExecutionException {
            List<LiveSide.Turn> turns = new ArrayList<>(Collections.nCopies(sides.size(), null));
            for (int side : order) {
                turns.set(side, sides.get(side).turn());
                sides.get(side).settle();
            }
            return turns;
        }

        private Outcome judged(List<LiveSide.Turn> turns) {
            if (spareRounds == 0
                    || turns.stream().noneMatch(turn -> turn.othersShare() > othersShareMax)) {
                return Outcome.COUNTS;
            }
            spareRounds--;
            return Outcome.DISTURBED;
        }

        /** After a failure: ends those that have begun, whatever becomes of one. */
        void endAll(Exception failure) {
            for (LiveSide side : sides) {
                try {
                    side.end();
                } catch (IOException | InterruptedException | RuntimeException e) {
                    failure.addSuppressed(e);
                }
            }
        }
    }
}
