// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A version does not validate again once a writer has released. */
@JCStressTest
@Outcome(
        id = "0, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "Read and validated before the writer took the latch.")
@Outcome(
        id = "0, 0, 0",
        expect = Expect.ACCEPTABLE,
        desc = "Read before the change; validation met the writer, or came after it.")
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "Read after the change, and refused.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "The change was seen under the old version, or the release did not raise it.")
@State
public class ValidateFailsAfterRelease {
    private final Latch latch = new Latch(StressSite.STRESS);
    private final long version = latch.optimisticVersion();
    private int value;

    @Actor
    public void writer() {
        latch.acquireExclusive();
        value = 1;
        latch.releaseExclusive();
    }

    @Actor
    public void reader(III_Result result) {
        result.r1 = value;
        result.r2 = latch.validate(version) ? 1 : 0;
    }

    @Arbiter
    public void end(III_Result result) {
        result.r3 = latch.validate(version) ? 1 : 0;
    }
}
