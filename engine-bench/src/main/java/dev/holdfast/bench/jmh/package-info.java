// SPDX-License-Identifier: Apache-2.0

/**
 * Micro-benchmarks: one operation each, on a table of 16-byte keys and 100-byte values that lies
 * whole in the pool, with the garbage collector's profiler, so that bytes allocated are part of
 * each result.
 *
 * <p>{@link dev.holdfast.bench.jmh.LoadedStore} is the state they share; {@link
 * dev.holdfast.bench.jmh.JmhProfile} says how long they run: {@code smoke} shows that they work,
 * {@code quick} is for before and after a change, {@code full} is published.
 */
package dev.holdfast.bench.jmh;
