// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of page 2 of an undo space: for each segment the first and the last page of its chain.
 *
 * <p>The byte table is {@code docs/format/undo-directory.md}. A slot whose head is zero has no
 * segment; page 0 is the space header, so no segment begins there.
 */
final class UndoDirectory {
    static final int PAGE_NUMBER = 2;
    static final int NO_PAGE = 0;

    static final int SLOTS_OFFSET = PageHeader.BODY_OFFSET;
    private static final int SLOT_BYTES = 2 * Integer.BYTES;

    private UndoDirectory() {}

    static long pageId(int spaceId) {
        return PageId.of(spaceId, PAGE_NUMBER);
    }

    /** The number of segments that a space can have. */
    static int slots(int pageBytes) {
        return (pageBytes - SLOTS_OFFSET + PageHeader.TRAILER_LSN_OFFSET) / SLOT_BYTES;
    }

    /** Where in the page the head of a slot stands. */
    static int headOffset(int slot) {
        return SLOTS_OFFSET + slot * SLOT_BYTES;
    }

    static int tailOffset(int slot) {
        return headOffset(slot) + Integer.BYTES;
    }

    static int head(ByteBuffer chunk, int page, int slot) {
        return PageMemory.getInt(chunk, page + headOffset(slot));
    }

    static int tail(ByteBuffer chunk, int page, int slot) {
        return PageMemory.getInt(chunk, page + tailOffset(slot));
    }
}
