// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.EngineOptions;

/**
 * How workloads run.
 *
 * @param rows in the table
 * @param warmupNanos before a timed phase is measured
 * @param measureNanos of a timed phase
 * @param seed of keys and values
 * @param engine how stores are opened
 */
public record WorkloadOptions(
        long rows, long warmupNanos, long measureNanos, long seed, EngineOptions engine) {}
