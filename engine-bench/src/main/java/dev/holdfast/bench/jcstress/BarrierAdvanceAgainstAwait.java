// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.SequenceBarrier;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who awaits a number returns when it is reached, and sees what was written before. */
@JCStressTest
@Outcome(
        id = "1",
        expect = Expect.ACCEPTABLE,
        desc = "The waiter found the number reached, or slept and was woken by the advance.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc =
                "The waiter returned before the number was reached, or does not see what came"
                        + " before.")
@State
public class BarrierAdvanceAgainstAwait {
    private final SequenceBarrier barrier = new SequenceBarrier(StressSite.STRESS);
    private int written;
    private volatile long number;

    @Actor
    public void advancer() {
        written = 1;
        number = 1;
        barrier.advanced(1);
    }

    @Actor
    public void waiter(I_Result result) {
        boolean isReached = barrier.await(1, () -> number, () -> false);
        result.r1 = isReached ? written : -1;
    }
}
