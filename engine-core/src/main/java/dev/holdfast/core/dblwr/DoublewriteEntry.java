// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import java.nio.ByteBuffer;

/**
 * What a doublewrite file says of a page that was about to be written.
 *
 * @param file the name of the doublewrite file
 * @param pageLsn the page's LSN when it was copied
 * @param logLsn every change of the page that the copy lacks begins at or above it; the entry
 *     counts only if this is not below the checkpoint (P10)
 * @param recoveryLsn where the oldest change begins that the copy holds and the disk did not; if
 *     the checkpoint is above it, the page was written and synced
 * @param crc of the image; of an entry alone, see {@link #describes}
 * @param imageAt where in the file the image begins, or {@link #NO_IMAGE}
 */
public record DoublewriteEntry(
        String file,
        long pageId,
        long pageLsn,
        long logLsn,
        long recoveryLsn,
        int crc,
        long imageAt) {
    static final long NO_IMAGE = -1;

    public boolean hasImage() {
        return imageAt != NO_IMAGE;
    }

    /**
     * Whether a page that bears this entry's page LSN has the content that was written. For an
     * entry without an image.
     */
    public boolean describes(ByteBuffer chunk, int page, int pageBytes) {
        assert !hasImage() : "file=" + file;
        return DoublewriteLayout.contentCrc(chunk, page, pageBytes) == crc;
    }
}
