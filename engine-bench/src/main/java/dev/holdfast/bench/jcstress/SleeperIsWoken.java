// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

/** A release wakes who sleeps for the latch. */
@JCStressTest(Mode.Termination)
@Outcome(
        id = "TERMINATED",
        expect = Expect.ACCEPTABLE,
        desc = "The actor found the latch free, or slept and was woken.")
@Outcome(
        id = "STALE",
        expect = Expect.FORBIDDEN,
        desc =
                "The wake-up is lost: the release did not see the waiter, nor the waiter the"
                        + " release.")
@State
public class SleeperIsWoken {
    private final Latch latch = new Latch(StressSite.STRESS);

    /** Begins with the latch held. */
    public SleeperIsWoken() {
        latch.acquireExclusive();
    }

    @Actor
    public void sleeper() {
        latch.acquireExclusive();
    }

    @Signal
    public void release() {
        latch.releaseExclusive();
    }
}
