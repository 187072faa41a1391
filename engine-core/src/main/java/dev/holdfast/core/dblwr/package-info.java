// SPDX-License-Identifier: Apache-2.0

/**
 * The doublewrite area: copies of pages that are about to be written, from which torn pages are
 * repaired, or entries alone, by which they are found.
 *
 * <p>{@link dev.holdfast.core.dblwr.Doublewrite} owns one file per slot and lends each as a {@link
 * dev.holdfast.core.dblwr.DoublewriteBatch}, of as many pages as {@link
 * dev.holdfast.core.dblwr.DoublewriteOptions} say; {@link
 * dev.holdfast.core.dblwr.DoublewriteRecovery} reads what is left of them at open. The rules are
 * P10, the format is {@code docs/format/doublewrite.md}.
 *
 * <p>Called by page cleaners, which own a batch from {@code acquire} to {@code release}; nothing
 * here takes a latch that pages depend on. Which copies to use is decided by {@code core.recovery}.
 */
package dev.holdfast.core.dblwr;
