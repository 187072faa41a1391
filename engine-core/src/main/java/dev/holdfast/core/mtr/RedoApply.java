// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/** Replays the record types 1 to 6, which belong to no kind of page. */
public final class RedoApply implements PageRedo {
    private final PageDigest digest;

    /**
     * A replayer.
     *
     * @param digest what the self-check records were made with
     */
    public RedoApply(PageDigest digest) {
        this.digest = digest;
    }

    /** Whether a record of the type makes the whole page, so that nothing need be read before. */
    public static boolean makesWholePage(int type) {
        return type == RedoType.PAGE_INIT || type == RedoType.PAGE_IMAGE;
    }

    @Override
    public void apply(
            int type,
            long pageId,
            ByteBuffer chunk,
            int offset,
            int pageBytes,
            byte[] body,
            int bodyOffset,
            int bodyLength,
            long endLsn) {
        BodyReader in = new BodyReader(body, bodyOffset, bodyLength);
        switch (type) {
            case RedoType.PAGE_INIT -> initialize(chunk, offset, pageBytes, pageId, in);
            case RedoType.PAGE_IMAGE -> image(chunk, offset, pageBytes, pageId, in);
            case RedoType.PATCH -> patch(chunk, offset, pageBytes, pageId, in);
            case RedoType.PAGE_FREE -> {
                // What a free page holds is nobody's.
            }
            case RedoType.PAGE_CRC -> check(chunk, offset, pageBytes, pageId, in);
            case RedoType.STAMP_END_LSN -> {
                int at = in.varint();
                checkRange(pageId, at, Long.BYTES, pageBytes);
                PageMemory.putLong(chunk, offset + at, endLsn);
            }
            default -> throw damaged(pageId, "a record type from 1 to 6", "type=" + type);
        }
    }

    private static void initialize(
            ByteBuffer chunk, int offset, int pageBytes, long pageId, BodyReader in) {
        int treeId = in.readInt();
        byte type = in.readByte();
        if (type == 0) {
            throw damaged(pageId, "a page type", "0");
        }
        PageMemory.fill(chunk, offset, pageBytes, (byte) 0);
        PageHeader.initialize(chunk, offset, pageBytes, pageId, treeId, type);
    }

    private static void image(
            ByteBuffer chunk, int offset, int pageBytes, long pageId, BodyReader in) {
        initialize(chunk, offset, pageBytes, pageId, in);
        int start = in.varint();
        int length = in.varint();
        int bytes = PageImage.bodyBytes(pageBytes);
        int rest = bytes - start - length;
        if (start < 0 || length < 0 || rest < 0 || start + rest != in.remaining()) {
            throw damaged(
                    pageId,
                    "an image of " + bytes + " bytes",
                    "holeStart=" + start + ", holeLength=" + length + ", rest=" + in.remaining());
        }
        int body = offset + PageHeader.BODY_OFFSET;
        in.copyTo(chunk, body, start);
        in.copyTo(chunk, body + start + length, rest);
    }

    private static void patch(
            ByteBuffer chunk, int offset, int pageBytes, long pageId, BodyReader in) {
        int at = in.varint();
        int length = in.remaining();
        checkRange(pageId, at, length, pageBytes);
        int error = TestHooks.fault(PlantedFault.REDO_OFF_BY_ONE) && length > 1 ? 1 : 0;
        in.copyTo(chunk, offset + at, length - error);
    }

    private void check(ByteBuffer chunk, int offset, int pageBytes, long pageId, BodyReader in) {
        int expected = in.readInt();
        int found = digest.digest(chunk, offset, pageBytes);
        if (expected != found) {
            throw damaged(
                    pageId,
                    "digest=" + Integer.toHexString(expected) + " after redo",
                    Integer.toHexString(found));
        }
    }

    private static void checkRange(long pageId, int at, int length, int pageBytes) {
        if (at < PageHeader.BODY_OFFSET
                || length < 0
                || at > pageBytes + PageHeader.TRAILER_LSN_OFFSET - length) {
            throw damaged(
                    pageId, "a range in the page's body", "offset=" + at + ", length=" + length);
        }
    }

    private static CorruptionException damaged(long pageId, String expected, String found) {
        return new CorruptionException(
                "redo record does not fit its page",
                "redo",
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                expected,
                found);
    }
}
