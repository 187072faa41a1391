// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The data files, as the pool sees them. Safe for all threads; takes no latch of rank. */
public interface PageStore {
    /** Fills the target's remaining bytes, one page, with the page as it is on disk. */
    void read(long pageId, ByteBuffer target) throws IOException;

    /**
     * Makes the request a read of the page into the target's remaining bytes.
     *
     * @return false if the space does not exist: then there is nothing to read
     */
    boolean prepareRead(IoRequest request, long pageId, ByteBuffer target);

    /**
     * Makes the request a write of the source's remaining bytes: the sealed page, and those that
     * follow it on disk.
     *
     * @return false if the space does not exist: then there is nothing to write
     */
    boolean prepareWrite(IoRequest request, long pageId, ByteBuffer source);

    /** Makes durable what was written to the space's file before the call. */
    void sync(int spaceId) throws IOException;

    /** Makes durable what was written to any file before the call, by whomever. */
    void syncAll() throws IOException;

    /** The checksum kinds that pages of the space may bear, as a mask of {@code 1 << code}. */
    int allowedKinds(int spaceId);

    /** The checksum kinds that are known at all. */
    default ChecksumKinds checksums() {
        return ChecksumKinds.BUILT_IN;
    }

    /** The kind that pages of the space are sealed with. */
    PageChecksum checksumFor(int spaceId);

    /** For messages; total on any id. */
    String fileName(int spaceId);

    /** Whether the space exists; pages of a space that does not are dropped, not written. */
    boolean present(int spaceId);
}
