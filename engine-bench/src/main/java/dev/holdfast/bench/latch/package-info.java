// SPDX-License-Identifier: Apache-2.0

/**
 * Latches against each other: Holdfast's and the JDK's, with the same data and the same sections.
 *
 * <p>A {@link dev.holdfast.bench.latch.Contender} is a latch with the data that it guards. Each is
 * a class of its own with loops of its own, so that no call site ever sees two of them, and each
 * checks what it read: a latch that lets a torn read or a lost update through ends the run. {@link
 * dev.holdfast.bench.latch.LatchRace} lets threads run on one for a moment; {@link
 * dev.holdfast.bench.latch.LatchTurns} says which of them run, at what load, in turn.
 */
package dev.holdfast.bench.latch;
