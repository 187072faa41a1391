// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.FileMode;

/**
 * What is measured, and on which files.
 *
 * @param mode how files go to the disk
 * @param pageBytes of a page
 * @param dataBytes of the data file, whole pages
 * @param users threads that read pages, and dirty some
 * @param writers threads that write pages
 * @param dirtyShare of the pages read that become dirty, from 0 to 1
 * @param choice which page is next
 * @param logBytes of an append to the first log, which is synced
 * @param secondLogBytes of an append to the second, which is not; 0 for no such log
 * @param batchPages of a doublewrite batch, which is synced
 * @param warmupNanos before measuring
 * @param measureNanos of measuring
 * @param seed of pages and bytes
 */
public record FileioOptions(
        FileMode mode,
        int pageBytes,
        long dataBytes,
        int users,
        int writers,
        double dirtyShare,
        PageChoice choice,
        int logBytes,
        int secondLogBytes,
        int batchPages,
        long warmupNanos,
        long measureNanos,
        long seed) {
    public static final int BATCH_PAGES_MAX = 512;

    public FileioOptions {
        boolean isGood =
                pageBytes >= FileMode.DIRECT_ALIGNMENT
                        && pageBytes % FileMode.DIRECT_ALIGNMENT == 0
                        && dataBytes >= pageBytes
                        && users >= 0
                        && writers >= 0
                        && users + writers > 0
                        && dirtyShare >= 0
                        && dirtyShare <= 1
                        && logBytes >= 1
                        && logBytes <= SyncedLog.APPEND_BYTES_MAX
                        && secondLogBytes >= 0
                        && secondLogBytes <= SyncedLog.APPEND_BYTES_MAX
                        && batchPages >= 1
                        && batchPages <= BATCH_PAGES_MAX
                        && warmupNanos >= 0
                        && measureNanos > 0;
        if (!isGood) {
            throw new IllegalArgumentException(
                    "options out of range: pageBytes="
                            + pageBytes
                            + ", dataBytes="
                            + dataBytes
                            + ", users="
                            + users
                            + ", writers="
                            + writers
                            + ", dirtyShare="
                            + dirtyShare
                            + ", logBytes="
                            + logBytes
                            + ", secondLogBytes="
                            + secondLogBytes
                            + ", batchPages="
                            + batchPages
                            + ", warmupNanos="
                            + warmupNanos
                            + ", measureNanos="
                            + measureNanos);
        }
    }

    public long pages() {
        return dataBytes / pageBytes;
    }

    /** The same without users: writers alone, which flush as fast as they can. */
    public FileioOptions flushOnly() {
        return new FileioOptions(
                mode,
                pageBytes,
                dataBytes,
                0,
                Math.max(1, writers),
                dirtyShare,
                choice,
                logBytes,
                secondLogBytes,
                batchPages,
                warmupNanos,
                measureNanos,
                seed);
    }

    /** The same with batches of another length. */
    public FileioOptions withBatchPages(int pages) {
        return new FileioOptions(
                mode,
                pageBytes,
                dataBytes,
                users,
                writers,
                dirtyShare,
                choice,
                logBytes,
                secondLogBytes,
                pages,
                warmupNanos,
                measureNanos,
                seed);
    }

    /** The same for so long, without a warm-up: one of many turns. */
    public FileioOptions withTurn(long turnNanos) {
        return new FileioOptions(
                mode,
                pageBytes,
                dataBytes,
                users,
                writers,
                dirtyShare,
                choice,
                logBytes,
                secondLogBytes,
                batchPages,
                0,
                turnNanos,
                seed);
    }
}
