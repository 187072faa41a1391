// SPDX-License-Identifier: Apache-2.0
/**
 * Transfers that nobody waits for.
 *
 * <p>{@link dev.holdfast.io.async.IoScheduler} does them in two lanes, one for reads and one for
 * writes, as {@link dev.holdfast.io.async.IoClass} ranks them, with neighbouring pages in one
 * transfer. {@link dev.holdfast.io.async.IoCapacity} is the budget of all who use it.
 *
 * <p>May call {@code dev.holdfast.io.file}, {@code dev.holdfast.io.stats} and {@code
 * dev.holdfast.sync}; knows nothing of what is in a page.
 */
package dev.holdfast.io.async;
