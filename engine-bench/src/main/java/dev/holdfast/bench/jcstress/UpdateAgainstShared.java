// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Update lets readers stay until it is upgraded, which waits for them. */
@JCStressTest
@Outcome(
        id = "0, 0",
        expect = Expect.ACCEPTABLE,
        desc = "The reader came before the upgrade, which waited for it, or before update.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The reader came after the release.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "Half of the change is seen: the upgrade did not wait for the reader.")
@State
public class UpdateAgainstShared {
    private final Latch latch = new Latch(StressSite.STRESS);
    private int left;
    private int right;

    @Actor
    public void writer() {
        latch.acquireUpdate();
        int seen = left;
        latch.upgradeToExclusive();
        left = seen + 1;
        right = seen + 1;
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
