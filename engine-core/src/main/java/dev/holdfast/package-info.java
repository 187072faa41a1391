// SPDX-License-Identifier: Apache-2.0

/**
 * The API of Holdfast, and all that the module exports.
 *
 * <p>Begin with {@link dev.holdfast.Engine}: it opens a store, names its tables and starts
 * transactions. A {@link dev.holdfast.Snapshot} reads, a {@link dev.holdfast.Transaction} reads and
 * writes, a {@link dev.holdfast.Cursor} walks over a {@link dev.holdfast.Range}. {@link
 * dev.holdfast.EngineOptions} has the settings and {@link dev.holdfast.Limits} the limits.
 *
 * <p>Keys and values are {@code byte[]}. Keys are ordered by their bytes, unsigned and
 * lexicographic, always; a {@link dev.holdfast.Codec} turns numbers and strings into bytes that
 * sort as they do. Absence is {@code null} where a method says so; no argument may be {@code null}.
 *
 * <p>All failures of the store are an unchecked {@link dev.holdfast.EngineException}, sorted by
 * what the caller does next; wrong arguments and wrong use of an object are the JDK's {@code
 * NullPointerException}, {@code IllegalArgumentException} and {@code IllegalStateException}. An
 * interrupt harms no store and no commit that has begun: it ends a wait for a row lock, or for
 * admission as one more writer, with {@link dev.holdfast.WaitInterruptedException}, ends nothing
 * else, and leaves the thread's flag set.
 *
 * <p>This package depends on no other package of the engine; the static methods of {@code Engine}
 * alone reach down.
 */
package dev.holdfast;
