// SPDX-License-Identifier: Apache-2.0
/**
 * A disk that lies, in memory: for tests of everything that stands on {@code dev.holdfast.io.file}.
 *
 * <p>{@link dev.holdfast.io.sim.SimulatedDisk} offers a {@code StorageDirectory}, records all that
 * is done to it in one total order, and fails as its {@link dev.holdfast.io.sim.FaultPlan} says.
 * {@link dev.holdfast.io.sim.CrashImage} builds what a crash at any point of that {@link
 * dev.holdfast.io.sim.Trace} may have left, and {@link dev.holdfast.io.sim.CrashHarness} does so
 * for many points, modes and seeds and hands each image to a check. {@link
 * dev.holdfast.io.sim.SeededRandom}, {@link dev.holdfast.io.sim.Shrinker} and {@link
 * dev.holdfast.io.sim.SeedExtension} serve all randomised tests.
 *
 * <p><b>The fault model.</b> A file has visible bytes, which reads show, and durable bytes, which
 * survive. A write or truncation is pending until a sync of that file that began after it has
 * ended. A power loss keeps any subset of the pending operations: of a write any subset of its
 * sectors, its growth of the length apart from its bytes, and a sector that is lost holds what was
 * there before, zeros where the file had not grown to, or noise; bytes outside of a pending write
 * never suffer. Names are pending until a sync of their directory; of a directory's pending
 * operations a prefix survives, independent of the files' bytes. With {@link
 * dev.holdfast.io.sim.NameRules#EXT4} there is one prefix for the whole disk, and a sync of any
 * file saves all names before it. A killed process loses nothing visible and makes nothing durable.
 *
 * <p>A failed sync never saves what it should have saved, though reads go on showing it and later
 * syncs succeed; a directory's failed sync leaves its names pending unless the plan loses them.
 * Faults of writes, reads and syncs, damage at rest, a full disk, slow and stuck devices are in
 * {@link dev.holdfast.io.sim.Fault} and {@link dev.holdfast.io.sim.SimulatedDisk}.
 *
 * <p><b>Its own honesty.</b> {@link dev.holdfast.io.sim.FaultPlan#requireActed} fails a test whose
 * planned faults did not happen, and each {@link dev.holdfast.io.sim.Injection} is counted when it
 * has. {@code DiskRule} says what is promised here, and {@code DiskFlaw} has a dishonest disk for
 * each way to break it, which must be noticed.
 *
 * <p><b>Time.</b> A device is as slow as {@link dev.holdfast.io.sim.Latency} says, by a {@link
 * dev.holdfast.io.sim.DiskClock}: the real one, or a {@link dev.holdfast.io.sim.TestClock}.
 *
 * <p>There are no threads here but those of {@code CrashHarness}. Everything random is drawn from a
 * seed.
 */
package dev.holdfast.io.sim;
