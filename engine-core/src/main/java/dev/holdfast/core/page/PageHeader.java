// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * Layout of the header at the start of every page and of the trailer at its end.
 *
 * <p>The byte table is {@code docs/format/page-header.md}. This class is the only code that knows
 * the offsets, and {@code PageHeaderTest} reads the table and fails when the two differ. A page is
 * given as its chunk and the offset where it starts; its id is a {@link PageId}.
 *
 * <p><b>Latches:</b> none taken. Getters need the page latched, or still private to the caller, or
 * a validation before the value is used; setters need it latched exclusively.
 */
public final class PageHeader {
    /*
     * The offsets are compile-time constants, not fields of an enum: the accessors sit on the
     * descent path, and the compiler folds a constant but not a field read through an object.
     *
     * The checksum comes first so that it covers one contiguous range, its own kind included. The
     * page's address is stored although the reader knows it: a checksum cannot tell a good page
     * that was written to the wrong place. Computing the checksum is PageSeal's work, which also
     * pairs check() before a write with check() after a read. check() returns what it found and
     * does not throw, because a page is checked under its latch, where any Throwable poisons the
     * engine; the caller throws CorruptionException once it holds none.
     */

    public static final int CHECKSUM_OFFSET = 0;
    public static final int CHECKSUM_KIND_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;
    public static final int TYPE_OFFSET = CHECKSUM_KIND_OFFSET + Byte.BYTES;
    public static final int FLAGS_OFFSET = TYPE_OFFSET + Byte.BYTES;
    public static final int SPACE_ID_OFFSET = FLAGS_OFFSET + Short.BYTES;
    public static final int PAGE_NUMBER_OFFSET = SPACE_ID_OFFSET + Integer.BYTES;
    public static final int PAGE_LSN_OFFSET = PAGE_NUMBER_OFFSET + Integer.BYTES;
    public static final int TREE_ID_OFFSET = PAGE_LSN_OFFSET + Long.BYTES;
    public static final int STORED_LENGTH_OFFSET = TREE_ID_OFFSET + Integer.BYTES;
    public static final int COMPRESSION_OFFSET = STORED_LENGTH_OFFSET + Short.BYTES;
    public static final int RESERVED_OFFSET = COMPRESSION_OFFSET + Byte.BYTES;
    public static final int SECOND_LSN_OFFSET = RESERVED_OFFSET + Byte.BYTES;
    public static final int ENCRYPTION_OFFSET = SECOND_LSN_OFFSET + Long.BYTES;
    public static final int BODY_OFFSET = ENCRYPTION_OFFSET + 32;

    /** Counted from the page's end, as is the next. */
    public static final int TRAILER_LSN_OFFSET = -Long.BYTES;

    public static final int TRAILER_RESERVED_OFFSET = TRAILER_LSN_OFFSET + Integer.BYTES;

    static {
        assert PAGE_LSN_OFFSET % Long.BYTES == 0 : "pageLsn is read with one aligned access";
        assert BODY_OFFSET % Long.BYTES == 0 : "the body starts aligned";
    }

    private PageHeader() {}

    /** Writes header and trailer of a page that has never been on disk; its LSN is zero. */
    public static void initialize(
            ByteBuffer chunk, int offset, int pageBytes, long pageId, int treeId, byte type) {
        assert type != 0 : "type 0 marks a page that was never written";

        PageMemory.fill(chunk, offset, BODY_OFFSET, (byte) 0);
        PageMemory.putByte(chunk, offset + TYPE_OFFSET, type);
        PageMemory.putInt(chunk, offset + SPACE_ID_OFFSET, PageId.spaceId(pageId));
        PageMemory.putInt(chunk, offset + PAGE_NUMBER_OFFSET, PageId.pageNumber(pageId));
        PageMemory.putInt(chunk, offset + TREE_ID_OFFSET, treeId);
        writeTrailer(chunk, offset, pageBytes);
    }

    public static long pageLsn(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + PAGE_LSN_OFFSET);
    }

    /**
     * Sets the page LSN.
     *
     * @param endLsn the end LSN of the mini-transaction that changed the page; never lower than the
     *     LSN that the page has, since redo is applied to a page in log order
     */
    public static void pageLsn(ByteBuffer chunk, int offset, long endLsn) {
        assert endLsn >= pageLsn(chunk, offset)
                : "endLsn=" + endLsn + ", pageLsn=" + pageLsn(chunk, offset);

        PageMemory.putLong(chunk, offset + PAGE_LSN_OFFSET, endLsn);
    }

    /** Repeats the page LSN at the end of a copy that is about to be sealed and written. */
    static void writeTrailer(ByteBuffer chunk, int offset, int pageBytes) {
        int end = offset + pageBytes;
        PageMemory.putInt(chunk, end + TRAILER_LSN_OFFSET, (int) pageLsn(chunk, offset));
        PageMemory.putInt(chunk, end + TRAILER_RESERVED_OFFSET, 0);
    }

    /** Checks all that header and trailer alone can show; allocates nothing. */
    public static Fault check(ByteBuffer chunk, int offset, int pageBytes, long pageId) {
        if (PageMemory.getByte(chunk, offset + TYPE_OFFSET) == 0) {
            return Fault.NEVER_WRITTEN;
        }
        int spaceId = PageMemory.getInt(chunk, offset + SPACE_ID_OFFSET);
        int pageNumber = PageMemory.getInt(chunk, offset + PAGE_NUMBER_OFFSET);
        if (PageId.of(spaceId, pageNumber) != pageId) {
            return Fault.MISDIRECTED;
        }
        int end = offset + pageBytes;
        int trailerLsn = PageMemory.getInt(chunk, end + TRAILER_LSN_OFFSET);
        if (trailerLsn != (int) pageLsn(chunk, offset)) {
            return Fault.TORN;
        }
        int reserved =
                PageMemory.getShort(chunk, offset + FLAGS_OFFSET)
                        | PageMemory.getInt(chunk, end + TRAILER_RESERVED_OFFSET);
        for (int i = STORED_LENGTH_OFFSET; i < BODY_OFFSET; i += Integer.BYTES) {
            reserved |= PageMemory.getInt(chunk, offset + i);
        }
        return reserved == 0 ? Fault.NONE : Fault.RESERVED_NOT_ZERO;
    }

    /** What {@link #check} found first. */
    public enum Fault {
        NONE,
        NEVER_WRITTEN,
        MISDIRECTED,
        TORN,
        RESERVED_NOT_ZERO,
        /** Found by {@link PageSeal#verify} only, as is the next. */
        CHECKSUM,
        KIND_NOT_ALLOWED
    }
}
