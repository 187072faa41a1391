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

/** Three who queue for one latch in different modes all get it. */
@JCStressTest
@Outcome(
        id = {"0, 2", "1, 2", "2, 2"},
        expect = Expect.ACCEPTABLE,
        desc = "The reader came before, between or after the two writers.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "An increment is lost, or read before its writer had released.")
@State
public class WaitersHandOver {
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

    @Actor
    public void reader(II_Result result) {
        latch.acquireShared();
        int first = count;
        int second = count;
        latch.releaseShared();
        result.r1 = first == second ? first : -1;
    }

    @Arbiter
    public void end(II_Result result) {
        result.r2 = count;
    }

    private void increment() {
        latch.acquireExclusive();
        count++;
        latch.releaseExclusive();
    }
}
