// SPDX-License-Identifier: Apache-2.0

/**
 * The files that hold pages, and who owns each page in them.
 *
 * <p>{@link dev.holdfast.core.space.SpaceFiles} is the only way from a page id to a file; {@link
 * dev.holdfast.core.space.Space} hands out pages and takes them back, and {@link
 * dev.holdfast.core.space.OperationEpochs} says when a page that somebody may still be reading can
 * be reused. {@link dev.holdfast.core.space.StoreIdentity} and {@link
 * dev.holdfast.core.space.StoreCreation} are the birth of a store.
 *
 * <p>It may call {@code core.mtr} and what is below. One agent of {@code core.db} runs {@link
 * dev.holdfast.core.space.GrowthAgent}, another {@link dev.holdfast.core.space.CondemnedPages}; all
 * else runs in the caller. Invariants: P6, P9, P17 and P19 of the plan. The formats are {@code
 * docs/format/space-header.md}, {@code allocation-map.md} and {@code identity.md}; the algorithms
 * {@code docs/architecture/space.md}.
 */
package dev.holdfast.core.space;
