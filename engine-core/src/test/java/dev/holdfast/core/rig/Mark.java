// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.io.sim.SimulatedDisk;
import java.util.Map;
import java.util.Set;

/** What a rig notes in the order of what was done to the disk; a {@link StoreModel} reads it. */
interface Mark {
    /** The step may have happened from now on. */
    record Committing(Step step, Map<Integer, Integer> hotVersions) implements Mark {
        @Override
        public String toString() {
            return "committing " + step.id();
        }
    }

    /** The step's call has returned. */
    record Acknowledged(Step step) implements Mark {
        @Override
        public String toString() {
            return "acknowledged " + step.id() + " " + step.durability();
        }
    }

    /**
     * A store was opened after a crash and held exactly these steps: no later crash takes one of
     * them, or brings one of the others back.
     */
    record Recovered(Set<StepId> steps) implements Mark {
        @Override
        public String toString() {
            return "recovered " + steps.size() + " steps";
        }
    }

    /** Notes steps on a simulated disk. */
    static StepListener on(SimulatedDisk disk) {
        return new StepListener() {
            @Override
            public void committing(Step step, Map<Integer, Integer> hotVersions) {
                disk.mark(new Committing(step, hotVersions));
            }

            @Override
            public void acknowledged(Step step) {
                disk.mark(new Acknowledged(step));
            }
        };
    }
}
