// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.io.checksum.PageChecksums;
import java.nio.ByteBuffer;

/** What the redo self-check compares of a page after each group that changed it. */
@FunctionalInterface
public interface PageDigest {
    /** Everything between header and trailer. */
    PageDigest BODY =
            (chunk, offset, pageBytes) ->
                    PageChecksums.CRC32C.compute(
                            chunk,
                            offset + PageHeader.BODY_OFFSET,
                            pageBytes - PageHeader.BODY_OFFSET + PageHeader.TRAILER_LSN_OFFSET);

    /** The digest of a page's bytes that are changed by logged changes only. */
    int digest(ByteBuffer chunk, int offset, int pageBytes);
}
