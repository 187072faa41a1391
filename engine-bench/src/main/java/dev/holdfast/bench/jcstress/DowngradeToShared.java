// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Nobody changes what a writer wrote between its downgrade and its release. */
@JCStressTest
@Outcome(
        id = "1, 1",
        expect = Expect.ACCEPTABLE,
        desc = "The downgraded one came second, so that its value is the last.")
@Outcome(
        id = "1, 2",
        expect = Expect.ACCEPTABLE,
        desc = "The other writer came second, after the downgraded one had released shared.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "The other writer had the latch beside the downgraded reader.")
@State
public class DowngradeToShared {
    private final Latch latch = new Latch(StressSite.STRESS);
    private int value;

    @Actor
    public void downgrader(II_Result result) {
        latch.acquireExclusive();
        value = 1;
        latch.downgradeToShared();
        result.r1 = value;
        latch.releaseShared();
    }

    @Actor
    public void writer() {
        latch.acquireExclusive();
        value = 2;
        latch.releaseExclusive();
    }

    @Arbiter
    public void end(II_Result result) {
        result.r2 = value;
    }
}
