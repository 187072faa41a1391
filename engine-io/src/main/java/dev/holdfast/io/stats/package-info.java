// SPDX-License-Identifier: Apache-2.0
/**
 * What the files did: counters and latencies per file, and the contention sites of this module.
 *
 * <p>{@link dev.holdfast.io.stats.FileStatistics} is always on. It is the one class here that reads
 * the clock. {@link dev.holdfast.io.stats.IoSites} names what a thread can wait for inside this
 * module.
 */
package dev.holdfast.io.stats;
