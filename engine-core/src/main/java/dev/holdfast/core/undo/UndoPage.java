// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of a page of an undo segment.
 *
 * <p>The byte table is {@code docs/format/undo-page.md}. A segment is a chain of such pages that
 * one transaction at a time appends to; the logs of successive transactions stand in it one after
 * the other, each begun by a log header entry, and may cross pages.
 *
 * <p><b>Latches:</b> none taken. Getters need the page latched or a validation; setters need it
 * latched exclusively.
 */
public final class UndoPage {
    public static final int SLOT_OFFSET = PageHeader.BODY_OFFSET;
    public static final int PREVIOUS_OFFSET = SLOT_OFFSET + Integer.BYTES;
    public static final int NEXT_OFFSET = PREVIOUS_OFFSET + Integer.BYTES;
    public static final int LOG_PAGE_OFFSET = NEXT_OFFSET + Integer.BYTES;
    public static final int LOG_OFFSET_OFFSET = LOG_PAGE_OFFSET + Integer.BYTES;
    public static final int TOP_OFFSET = LOG_OFFSET_OFFSET + Short.BYTES;
    public static final int RESERVED_OFFSET = TOP_OFFSET + Short.BYTES;
    public static final int ENTRIES_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    static {
        assert ENTRIES_OFFSET % Long.BYTES == 0 : "the entries start aligned";
    }

    private UndoPage() {}

    /** Sets the body of a page whose header is initialized; the page holds no entry. */
    static void initialize(
            ByteBuffer chunk,
            int page,
            int slot,
            int previous,
            int next,
            int logPage,
            int logOffset) {
        PageMemory.putInt(chunk, page + SLOT_OFFSET, slot);
        PageMemory.putInt(chunk, page + PREVIOUS_OFFSET, previous);
        PageMemory.putInt(chunk, page + NEXT_OFFSET, next);
        PageMemory.putInt(chunk, page + LOG_PAGE_OFFSET, logPage);
        PageMemory.putShort(chunk, page + LOG_OFFSET_OFFSET, logOffset);
        PageMemory.putShort(chunk, page + TOP_OFFSET, ENTRIES_OFFSET);
        PageMemory.putInt(chunk, page + RESERVED_OFFSET, 0);
    }

    /** The bytes that entries may take on an empty page. */
    public static int capacity(int pageBytes) {
        return end(pageBytes) - ENTRIES_OFFSET;
    }

    /** The offset behind the last byte that an entry may take. */
    static int end(int pageBytes) {
        return pageBytes + PageHeader.TRAILER_LSN_OFFSET;
    }

    /** The segment's slot in the directory of its space. */
    static int slot(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + SLOT_OFFSET);
    }

    static int previous(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + PREVIOUS_OFFSET);
    }

    static int next(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + NEXT_OFFSET);
    }

    /** The page with the header of the log that the page's last entry belongs to. */
    static int logPage(ByteBuffer chunk, int page) {
        return PageMemory.getInt(chunk, page + LOG_PAGE_OFFSET);
    }

    /** The offset of that header in its page; zero when no log was ever begun. */
    static int logOffset(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + LOG_OFFSET_OFFSET);
    }

    /** The offset behind the last entry. */
    static int top(ByteBuffer chunk, int page) {
        return PageMemory.getUnsignedShort(chunk, page + TOP_OFFSET);
    }
}
