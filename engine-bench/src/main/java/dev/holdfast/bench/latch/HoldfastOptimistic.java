// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.sync.Latch;
import dev.holdfast.sync.LatchWord;

/** Holdfast's latch object, read optimistically once, then shared. */
public final class HoldfastOptimistic implements Contender {
    /** The name in tables. */
    public static final String TITLE = "Latch optimistic";

    private final Latch latch = new Latch(new BenchSite());
    private final GuardedPair pair = new GuardedPair();

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public GuardedPair pair() {
        return pair;
    }

    /** Returns the sum that was read: zero, or the read was torn. */
    public long read(long tokens) {
        long version = latch.optimisticVersion();
        if (!LatchWord.isLocked(version)) {
            long sum = pair.sum(tokens);
            if (latch.validate(version)) {
                return sum;
            }
        }
        latch.acquireShared();
        try {
            return pair.sum(tokens);
        } finally {
            latch.releaseShared();
        }
    }

    /** Changes the pair. */
    public void write(long tokens) {
        long version = latch.acquireExclusive();
        try {
            pair.change(tokens);
        } finally {
            latch.releaseExclusive(version);
        }
    }

    @Override
    public void runReads(Turn turn, Tally tally) {
        long operations = 0;
        long torn = 0;
        do {
            for (int i = 0; i < BATCH; i++) {
                torn += read(turn.tokens()) == 0 ? 0 : 1;
            }
            operations += BATCH;
        } while (turn.goesOn());
        tally.finished(operations, 0, torn);
    }

    @Override
    public void runWrites(Turn turn, Tally tally) {
        long operations = 0;
        do {
            for (int i = 0; i < BATCH; i++) {
                write(turn.tokens());
            }
            operations += BATCH;
        } while (turn.goesOn());
        tally.finished(operations, operations, 0);
    }

    @Override
    public void runMixed(Turn turn, Tally tally) {
        long operations = 0;
        long writes = 0;
        long torn = 0;
        int random = tally.seed();
        do {
            for (int i = 0; i < BATCH; i++) {
                random = LatchLoad.next(random);
                if (LatchLoad.writes(random)) {
                    write(turn.tokens());
                    writes++;
                } else {
                    torn += read(turn.tokens()) == 0 ? 0 : 1;
                }
            }
            operations += BATCH;
        } while (turn.goesOn());
        tally.finished(operations, writes, torn);
    }
}
