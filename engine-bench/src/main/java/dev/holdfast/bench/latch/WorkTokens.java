// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import org.openjdk.jmh.infra.Blackhole;

/** Calibrates the work that fills a section. */
public final class WorkTokens {
    private static final int TRIALS = 40;
    private static final long TRIAL_TOKENS = 100_000;

    private WorkTokens() {}

    /**
     * Measures how many tokens of {@link Blackhole#consumeCPU} take so long on this machine, by the
     * fastest of some trials: what else runs can only lengthen one.
     */
    public static long of(long nanos) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < TRIALS; i++) {
            long start = System.nanoTime();
            Blackhole.consumeCPU(TRIAL_TOKENS);
            best = Math.min(best, System.nanoTime() - start);
        }
        return Math.max(1, nanos * TRIAL_TOKENS / Math.max(1, best));
    }
}
