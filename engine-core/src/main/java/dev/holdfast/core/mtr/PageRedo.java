// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import java.nio.ByteBuffer;

/** Replays redo records of some types on one page. Needs no other page's bytes (P12). */
public interface PageRedo {
    /**
     * Applies one record to the page that it names. The caller has seen that the group's end is
     * above the page's LSN, and sets that LSN when all the group's records for the page are
     * applied.
     *
     * @param type the record's type, one of this object's range
     * @param pageId the page it names, which the bytes may not bear yet
     * @param chunk where the page lies
     * @param offset where in the chunk it begins
     * @param body the bytes that the body lies in
     * @param bodyOffset where it begins
     * @param bodyLength its length
     * @param endLsn the LSN at which the record's group ends
     * @throws dev.holdfast.CorruptionException if the body makes no sense for the page
     */
    void apply(
            int type,
            long pageId,
            ByteBuffer chunk,
            int offset,
            int pageBytes,
            byte[] body,
            int bodyOffset,
            int bodyLength,
            long endLsn);
}
