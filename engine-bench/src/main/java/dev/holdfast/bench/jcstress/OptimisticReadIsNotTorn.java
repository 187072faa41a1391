// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.Latch;
import dev.holdfast.sync.LatchWord;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What validates has been read whole. */
@JCStressTest
@Outcome(
        id = "0, 0",
        expect = Expect.ACCEPTABLE,
        desc = "Validated before the writer took the latch.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Begun after the writer had released.")
@Outcome(
        id = "-1, -1",
        expect = Expect.ACCEPTABLE_INTERESTING,
        desc = "The writer held the latch at the beginning, or took it meanwhile: not validated.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "Half of the change passed validation: a fence of reader or writer is missing.")
@State
public class OptimisticReadIsNotTorn {
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
        long version = latch.optimisticVersion();
        int seenLeft = left;
        int seenRight = right;
        boolean isValid = !LatchWord.isLocked(version) && latch.validate(version);
        result.r1 = isValid ? seenLeft : -1;
        result.r2 = isValid ? seenRight : -1;
    }
}
