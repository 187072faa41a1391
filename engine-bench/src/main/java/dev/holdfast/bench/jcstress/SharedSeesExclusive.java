// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A holder of shared reads all that a holder of exclusive wrote, or nothing of it. */
@JCStressTest
@Outcome(
        id = "0, 0",
        expect = Expect.ACCEPTABLE,
        desc = "The reader had released before the writer came, or it came first.")
@Outcome(
        id = "1, 1",
        expect = Expect.ACCEPTABLE,
        desc = "The writer had released before the reader came.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "Half of the change is seen: both held the latch, or the release did not publish.")
@State
public class SharedSeesExclusive {
    private final Latch latch = new Latch(StressSite.STRESS);
    private int left;
    private int right;

    @Actor
    public void writer() {
        latch.acquireExclusive();
        left = 1;
        right = 1;
        latch.releaseExclusive();
    }

    @Actor
    public void reader(II_Result result) {
        latch.acquireShared();
        result.r1 = left;
        result.r2 = right;
        latch.releaseShared();
    }
}
