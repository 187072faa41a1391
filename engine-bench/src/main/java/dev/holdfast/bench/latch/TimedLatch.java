// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.sync.Latch;
import dev.holdfast.sync.WaitTiming;

/** Holdfast's latch object held exclusively, with its waits timed or not. */
final class TimedLatch {
    private final BenchSite site = new BenchSite();
    private final Latch latch = new Latch(site);
    private final GuardedPair pair = new GuardedPair();

    TimedLatch(WaitTiming timing) {
        site.counters().timing(timing);
    }

    GuardedPair pair() {
        return pair;
    }

    /** How many acquires did not succeed at once. */
    long contendedAcquires() {
        return site.counters().contendedAcquires();
    }

    /** Does what a contended acquire adds to its wait: counts it, and times it if so set. */
    void count(Turn turn, Tally tally) {
        long operations = 0;
        do {
            for (int i = 0; i < Contender.BATCH; i++) {
                long token = site.counters().waitBegan();
                site.counters().waitEnded(token);
            }
            operations += Contender.BATCH;
        } while (turn.goesOn());
        tally.finished(operations, 0, 0);
    }

    /** Acquires, changes the pair and releases. */
    void run(Turn turn, Tally tally) {
        long operations = 0;
        do {
            for (int i = 0; i < Contender.BATCH; i++) {
                latch.acquireExclusive();
                try {
                    pair.change(turn.tokens());
                } finally {
                    latch.releaseExclusive();
                }
            }
            operations += Contender.BATCH;
        } while (turn.goesOn());
        tally.finished(operations, operations, 0);
    }
}
