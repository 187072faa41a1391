// SPDX-License-Identifier: Apache-2.0
/**
 * Latches, the waiting behind them, and the counters that show it. Knows nothing of pages.
 *
 * <p>{@link dev.holdfast.sync.LatchWord} is the whole state of a latch in one {@code long} and all
 * its transitions. {@link dev.holdfast.sync.BufferLatch} (frame table), {@link
 * dev.holdfast.sync.LatchArray} and {@link dev.holdfast.sync.Latch} apply them to three storages
 * and share one slow path, the {@code ParkingLot}. {@link dev.holdfast.sync.SequenceBarrier} is
 * what threads wait on for a position of the log.
 *
 * <p>Every latch belongs to a {@link dev.holdfast.sync.ContentionSite}, whose counters are touched
 * on the slow path only and read by {@link dev.holdfast.sync.ContentionReport}. Who sleeps leaves a
 * {@link dev.holdfast.sync.CurrentWait}, so that a {@link dev.holdfast.sync.WaitWatchdog} can tell
 * of waits that last too long. {@link dev.holdfast.sync.HeldLatches} checks the order of latches
 * when assertions are on. {@link dev.holdfast.sync.AdmissionGate} limits how many are inside.
 *
 * <p>No thread is started here; everything runs in the caller's thread, platform or virtual. An
 * acquire or release that meets nobody is one CAS and allocates nothing. An interrupt ends no wait
 * that did not ask for it, and is never lost. The module's page is {@code
 * docs/architecture/sync.md}.
 */
package dev.holdfast.sync;
