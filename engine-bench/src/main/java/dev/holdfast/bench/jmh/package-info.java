// SPDX-License-Identifier: Apache-2.0

/**
 * Micro-benchmarks: one operation each, on a table of 16-byte keys and 100-byte values that lies
 * whole in the pool, with the garbage collector's profiler, so that bytes allocated are part of
 * each result.
 *
 * <p>{@link dev.holdfast.bench.jmh.LoadedStore} is the state they share; {@link
 * dev.holdfast.bench.jmh.JmhProfile} says how long they run: {@code smoke} shows that they work,
 * {@code quick} is for before and after a change, {@code full} is published.
 *
 * <p>The {@code Latch} benchmarks need no store: they have {@link
 * dev.holdfast.bench.jmh.LatchState}. Which of two latches is faster is what the command {@code
 * latches} says, which runs them in turn; here one sees what an operation costs. {@code
 * ChecksumBenchmark} is of pages in memory of its own.
 */
package dev.holdfast.bench.jmh;
