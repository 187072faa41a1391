// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.AdmissionGate;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Through a gate for one, two go one after the other. */
@JCStressTest
@Outcome(
        id = "2, 0",
        expect = Expect.ACCEPTABLE,
        desc = "Either came second, after the first had left, and both have left.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Both were inside at once, or a ticket is lost.")
@State
public class GateKeepsItsLimit {
    private final AdmissionGate gate = new AdmissionGate(StressSite.STRESS, 1);
    private int count;

    @Actor
    public void one() {
        pass();
    }

    @Actor
    public void two() {
        pass();
    }

    @Arbiter
    public void end(II_Result result) {
        result.r1 = count;
        result.r2 = gate.inside();
    }

    private void pass() {
        AdmissionGate.Entry entry = gate.enter(0, Long.MAX_VALUE, () -> false);
        if (entry == AdmissionGate.Entry.ADMITTED) {
            count++;
            gate.leave();
        }
    }
}
