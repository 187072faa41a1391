// SPDX-License-Identifier: Apache-2.0

/**
 * What all pages have in common: ids, the header and trailer, checksums.
 *
 * <p>{@link dev.holdfast.core.page.PageId} packs a page's address, {@link
 * dev.holdfast.core.page.PageHeader} is the layout of {@code docs/format/page-header.md}, {@link
 * dev.holdfast.core.page.PageSeal} seals a copy before it is written and verifies it after it was
 * read. Layouts of page bodies belong to the packages that own the pages; {@link
 * dev.holdfast.core.page.Varint} is what they and the records of redo write lengths in.
 *
 * <p>Everything here works on a chunk and an offset, takes no latch and starts no thread. It may
 * call {@code core.watch}, the io module and the exceptions of {@code dev.holdfast}.
 */
package dev.holdfast.core.page;
