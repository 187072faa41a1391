// SPDX-License-Identifier: Apache-2.0

/**
 * Mini-transactions: the one way to change pages.
 *
 * <p>{@link dev.holdfast.core.mtr.MiniTransaction} latches pages, takes down their redo, and at its
 * commit appends the redo as one atomic group and releases the latches in the order of P11. {@link
 * dev.holdfast.core.mtr.RedoApply} replays the records that belong to no tree; {@link
 * dev.holdfast.core.mtr.PageRedo} is what recovery calls for all of them.
 *
 * <p>May call {@code core.buffer}, {@code core.redo}, {@code core.page} and {@code core.watch}. No
 * thread runs here. From the first change to the publication nothing waits with a limit, allocates
 * or throws; whatever is thrown there all the same makes the engine fail before a latch is released
 * (P9).
 */
package dev.holdfast.core.mtr;
