// SPDX-License-Identifier: Apache-2.0
/**
 * Rigs that try the whole engine: crashes everywhere, random operations against a model, killed
 * processes, interrupts, and faults planted to see that the rigs notice.
 *
 * <p>{@link dev.holdfast.core.rig.SessionScript} says what a session does, as a pure function of a
 * seed; {@link dev.holdfast.core.rig.SessionRunner} does it to an engine; marks say what was
 * acknowledged; {@link dev.holdfast.core.rig.StoreModel} is the oracle that tells from the marks
 * what a store may hold, and {@link dev.holdfast.core.rig.StoreCheck} compares. The page is {@code
 * docs/architecture/testing.md}.
 */
package dev.holdfast.core.rig;
