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

/** What a holder of update has read is still so when it has upgraded. */
@JCStressTest
@Outcome(
        id = "2",
        expect = Expect.ACCEPTABLE,
        desc = "Either came second and added to what the first had released.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc =
                "An increment is lost: exclusive was had beside update, or between it and the"
                        + " upgrade.")
@State
public class UpdateAgainstExclusive {
    private final Latch latch = new Latch(StressSite.STRESS);
    private int count;

    @Actor
    public void updater() {
        latch.acquireUpdate();
        int seen = count;
        latch.upgradeToExclusive();
        count = seen + 1;
        latch.releaseExclusive();
    }

    @Actor
    public void writer() {
        latch.acquireExclusive();
        count++;
        latch.releaseExclusive();
    }

    @Arbiter
    public void end(I_Result result) {
        result.r1 = count;
    }
}
