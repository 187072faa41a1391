// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import dev.holdfast.sync.LatchWord;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Of two readers that upgrade under the same version one does. */
@JCStressTest
@Outcome(
        id = "1, 1, 2",
        expect = Expect.ACCEPTABLE,
        desc = "One upgraded and released before the other began to read.")
@Outcome(
        id = {"1, 0, 1", "0, 1, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "Both read the same version, or one met the other at work: one upgraded.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "Both upgraded under one version and a change is lost, or neither did.")
@State
public class UpgradeFromOptimistic {
    private final Latch latch = new Latch(StressSite.STRESS);
    private int count;

    @Actor
    public void one(III_Result result) {
        result.r1 = increment();
    }

    @Actor
    public void two(III_Result result) {
        result.r2 = increment();
    }

    @Arbiter
    public void end(III_Result result) {
        result.r3 = count;
    }

    private int increment() {
        long version = latch.optimisticVersion();
        int seen = count;
        if (LatchWord.isLocked(version) || !latch.tryUpgradeToExclusive(version)) {
            return 0;
        }
        count = seen + 1;
        latch.releaseExclusive();
        return 1;
    }
}
