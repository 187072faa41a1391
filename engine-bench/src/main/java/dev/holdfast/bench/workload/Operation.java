// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

/** What a phase does again and again. Stateless: all that changes is in store and thread. */
@FunctionalInterface
interface Operation {
    /** Says that the phase is over. */
    long EXHAUSTED = 0;

    /** Does it once and returns how many units (rows, or one transaction) it did. */
    long run(WorkloadStore store, WorkloadThread thread);
}
