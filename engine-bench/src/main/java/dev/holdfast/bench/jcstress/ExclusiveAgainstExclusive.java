// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two holders of exclusive after each other: the second sees what the first wrote. */
@JCStressTest
@Outcome(
        id = "2",
        expect = Expect.ACCEPTABLE,
        desc = "Either actor came second and added to what the first had released.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "An increment is lost: both held the latch, or the release did not publish.")
@State
public class ExclusiveAgainstExclusive {
    private final Latch latch = new Latch(StressSite.STRESS);
    private int count;

    @Actor
    public void one() {
        increment();
    }

    @Actor
    public void two() {
        increment();
    }

    @Arbiter
    public void end(I_Result result) {
        result.r1 = count;
    }

    private void increment() {
        latch.acquireExclusive();
        count++;
        latch.releaseExclusive();
    }
}
