// SPDX-License-Identifier: Apache-2.0

/**
 * Loads by several threads on a store in its files, each phase measured by itself.
 *
 * <p>A {@link dev.holdfast.bench.workload.Phase} names an operation and a number of threads; {@link
 * dev.holdfast.bench.workload.PhaseRunner} runs it and makes a {@link
 * dev.holdfast.bench.workload.Measurement}. {@link dev.holdfast.bench.workload.Phases} is the list
 * of all there are. {@link dev.holdfast.bench.workload.CrashedUpdates} measures recovery after a
 * kill, {@link dev.holdfast.bench.workload.Alternation} compares two configurations in turn.
 *
 * <p>What the words mean: rows have keys of 16 bytes and values of 100 random bytes; a load writes
 * 1000 rows a transaction; {@code nosync} is a commit that waits for nothing, {@code os} one that
 * is handed to the operating system, {@code sync} one that is on disk. A conflict is tried again,
 * and the operation's time includes that. The loop is closed: a thread begins an operation when the
 * one before has ended, so a stall shows in the highest latency, once for each thread.
 */
package dev.holdfast.bench.workload;
