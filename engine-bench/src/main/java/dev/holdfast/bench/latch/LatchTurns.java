// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.sync.WaitTiming;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Runs the entrants of a load in turn, A B C A B C …, so that what the machine does meanwhile falls
 * on all of them. The first rounds are not told.
 *
 * @param warmupRounds rounds before those that count
 * @param rounds that count
 * @param nanos of each turn
 */
public record LatchTurns(int warmupRounds, int rounds, long nanos) {
    private static final double NANOS_A_SECOND = 1e9;

    /** Hears of each turn that counts. */
    public interface Listener {
        void ran(int threads, String name, double perSecond, double contended, double countNanos);
    }

    /** Runs all entrants of a load with each number of threads. */
    public void run(
            LatchLoad load, LatchSection section, List<Integer> threadCounts, Listener listener)
            throws InterruptedException, ExecutionException {
        long tokens = section.tokens();
        for (int threads : threadCounts) {
            for (int round = 0; round < warmupRounds + rounds; round++) {
                for (Entrant entrant : Entrant.of(load, section)) {
                    Contender contender = entrant.make();
                    double rate =
                            LatchRace.run(
                                    entrant.title(),
                                    (turn, tally) -> contender.run(load, turn, tally),
                                    contender.pair(),
                                    tokens,
                                    threads,
                                    nanos);
                    if (round >= warmupRounds) {
                        listener.ran(threads, entrant.name(), rate, 0, 0);
                    }
                }
            }
        }
    }

    /** Runs one latch, held exclusively, with its waits timed in each of the ways. */
    public void runTimed(LatchSection section, int threads, Listener listener)
            throws InterruptedException, ExecutionException {
        long tokens = section.tokens();
        for (int round = 0; round < warmupRounds + rounds; round++) {
            for (WaitTiming timing : WaitTiming.values()) {
                TimedLatch latch = new TimedLatch(timing);
                String name = timing.name();
                double rate = LatchRace.run(name, latch::run, latch.pair(), tokens, threads, nanos);
                double share = (double) latch.contendedAcquires() / latch.pair().changes();
                TimedLatch alone = new TimedLatch(timing);
                double counted = LatchRace.run(name, alone::count, alone.pair(), 0, threads, nanos);
                if (round >= warmupRounds) {
                    listener.ran(threads, name, rate, share, threads * NANOS_A_SECOND / counted);
                }
            }
        }
    }
}
