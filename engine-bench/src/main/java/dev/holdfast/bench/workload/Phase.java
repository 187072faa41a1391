// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

/**
 * An operation by a number of threads.
 *
 * @param name what {@link Phases} calls it
 * @param threads that run it
 * @param isTimed whether it runs for a time; else until its operation is exhausted, unwarmed
 * @param operation what they do
 */
public record Phase(String name, int threads, boolean isTimed, Operation operation) {
    /** The name with the number of threads. */
    public String title() {
        return name + "@" + threads;
    }
}
