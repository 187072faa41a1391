// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageId;

/** Makes the errors for pages that are whole but not what their tree needs. */
final class TreeCorruption {
    private TreeCorruption() {}

    static CorruptionException of(long pageId, String expected, String found) {
        int spaceId = PageId.spaceId(pageId);
        return new CorruptionException(
                "page of a tree is not what its tree says",
                "space-" + Integer.toUnsignedString(spaceId),
                Integer.toUnsignedLong(spaceId),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                expected,
                found);
    }

    static CorruptionException unreadable(long pageId, IndexOutOfBoundsException cause) {
        CorruptionException exception = of(pageId, "offsets inside the page", cause.toString());
        exception.addSuppressed(cause);
        return exception;
    }
}
