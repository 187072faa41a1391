// SPDX-License-Identifier: Apache-2.0

/**
 * What a device gives without an engine: synced appends to logs, doublewrite batches, random pages,
 * through the same files of {@code dev.holdfast.io} that the engine uses.
 *
 * <p>{@link dev.holdfast.bench.fileio.DeviceCeiling} measures one kind of request at a time by
 * depth, {@link dev.holdfast.bench.fileio.StoragePattern} all of them together as an engine makes
 * them, and {@link dev.holdfast.bench.fileio.CapacityAdvice} says what {@code ioCapacity} follows.
 * {@link dev.holdfast.bench.fileio.StorageDevice} is the real device or a simulated one. {@link
 * dev.holdfast.bench.fileio.PairedTurns} compares two ways of transferring pages: {@link
 * dev.holdfast.bench.fileio.BareLoopTurn}, {@link dev.holdfast.bench.fileio.SchedulerTurn}, {@link
 * dev.holdfast.bench.fileio.NeighbourTurn}; {@link dev.holdfast.bench.fileio.DeviceShare} an engine
 * with its device, and {@link dev.holdfast.bench.fileio.FlushTurn} times what an engine flushes.
 *
 * <p>Each thread has its own buffers, random source and histograms; results meet through futures.
 */
package dev.holdfast.bench.fileio;
