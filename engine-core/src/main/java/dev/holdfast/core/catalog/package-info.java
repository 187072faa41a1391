// SPDX-License-Identifier: Apache-2.0

/**
 * Which tables there are, and where.
 *
 * <p>{@link dev.holdfast.core.catalog.Catalog} keeps the rows of the catalog tree and the same in
 * memory; {@link dev.holdfast.core.catalog.TableDescriptor} is a table as the layers above know it;
 * {@link dev.holdfast.core.catalog.TableDrops} takes dropped tables apart in the background.
 *
 * <p>It may call {@code core.btree} and what is below. Changes of the catalog run in the caller,
 * one at a time; the drops in an agent of {@code core.db}. Invariant: P19. The format is {@code
 * docs/format/catalog-row.md}, the algorithms {@code docs/architecture/catalog.md}.
 */
package dev.holdfast.core.catalog;
