// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;

/**
 * A file whose pages are read or written by so many at once.
 *
 * @param file filled
 * @param pageBytes of a page
 * @param pages in the file
 * @param isWrite whether pages are written
 * @param depth requests at the device at once
 * @param turnNanos of one turn
 * @param seed of the pages' choice
 */
public record PageTraffic(
        StorageFile file,
        int pageBytes,
        long pages,
        boolean isWrite,
        int depth,
        long turnNanos,
        long seed) {
    private static final String FILE = "traffic";

    public PageTraffic {
        check(pages, depth);
    }

    /** Refuses a file in which so many at once would meet. */
    public static void check(long pages, int depth) {
        if (depth < 1 || pages < 2L * SchedulerTurn.REQUESTS_PER_THREAD * depth) {
            throw new IllegalArgumentException(
                    "file is too short for its traffic: pages=" + pages + ", depth=" + depth);
        }
    }

    /** Makes the file. */
    public static StorageFile createFile(StorageDirectory directory, FileioOptions options)
            throws IOException {
        StorageFile file = directory.create(FILE);
        try {
            Buffers.fill(file, options.dataBytes(), options.seed());
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return file;
    }

    /** After a turn: what it left in the operating system's cache is not the next one's burden. */
    void settle() throws IOException {
        if (isWrite) {
            file.sync(true);
        }
    }
}
