// SPDX-License-Identifier: Apache-2.0

/**
 * The verifier: reads a whole store and says what does not hold, as data.
 *
 * <p>{@link dev.holdfast.core.check.Verifier} is the entry; {@link
 * dev.holdfast.core.check.PageLedger} accounts for every page exactly once. The parts that know a
 * structure check it in their own package ({@code TreeCheck}, {@code SpaceCheck}, {@code
 * UndoCheck}); here is what holds between them.
 *
 * <p>It runs in the caller's thread while the log grants no room, so no page changes; readers go
 * on.
 */
package dev.holdfast.core.check;
