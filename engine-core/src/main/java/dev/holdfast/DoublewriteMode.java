// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * What is written beside a page, before it is written to its place, against writes that go wrong.
 *
 * <p>A loss of power can tear a page: some of its sectors are new, some old. Redo cannot mend that,
 * since it says what changed in a page and not what was in it. The checksum finds such a page in
 * every mode when it is read.
 *
 * <p>The mode may differ from one open to the next. What earlier opens left in the doublewrite
 * files is used by every open, whatever its mode.
 */
public enum DoublewriteMode {
    /**
     * Copies of the pages of a batch go to a doublewrite file, which is synced, and then to their
     * places. Torn pages are put back at the next open. So is a page whose newest write the disk
     * has lost, or that has rotted since, as long as its copy has not been written over.
     *
     * <p>Costs every page a second, sequential write, and every batch a sync.
     */
    ON,

    /**
     * Of each page of a batch an entry goes to a doublewrite file, which is synced: its place, its
     * LSN and a checksum. Nothing is put back. The next open names torn pages, those too that bear
     * no checksum of their own, and refuses the store with {@link CorruptionException} if one of
     * its pages is sound but older than redo can account for, since a disk lost its write. Without
     * the entry such a page would be taken for good. After a loss of power, then, a store may have
     * to be restored from a backup.
     *
     * <p>Costs every batch a write of a few KiB and a sync. For file systems and devices that write
     * pages atomically, and for stores that can be made again.
     */
    DETECT_ONLY,

    /**
     * Nothing is written. A torn page is found when it is read, if its pages bear checksums, and
     * not mended; a lost write is not found.
     */
    OFF
}
