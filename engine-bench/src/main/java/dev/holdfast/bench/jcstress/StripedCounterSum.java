// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.StripedCounter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A sum taken after all increments has them all. */
@JCStressTest
@Outcome(
        id = "3",
        expect = Expect.ACCEPTABLE,
        desc = "Each increment went to its stripe, or two to one, one after the other.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "An increment is lost: two threads of one stripe added at once without an atomic.")
@State
public class StripedCounterSum {
    private final StripedCounter counter = new StripedCounter();

    @Actor
    public void one() {
        counter.increment();
    }

    @Actor
    public void two() {
        counter.increment();
    }

    @Actor
    public void three() {
        counter.increment();
    }

    @Arbiter
    public void end(J_Result result) {
        result.r1 = counter.sum();
    }
}
