// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import dev.holdfast.ChecksumException;
import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/**
 * Seals a copy of a page before it is written, and verifies a page after it was read.
 *
 * <p><b>Latches:</b> none taken; the bytes are private to the caller.
 */
public final class PageSeal {
    /*
     * The faults are told apart by what a sound page would still show. All bytes zero: never
     * written. Checksum right and address wrong: a good page in the wrong place. Checksum wrong and
     * trailer not matching the page LSN: two writes met. Else: damage. Without a checksum (NONE)
     * header and trailer are all there is to go by.
     */

    private PageSeal() {}

    /** The bit of a checksum kind in the mask of the kinds that a space allows. */
    public static int kindBit(PageChecksum kind) {
        return 1 << kind.code();
    }

    /**
     * Writes trailer, kind and checksum into a copy whose other bytes are final.
     *
     * @throws ChecksumException if a kind from outside throws, or gives two sums for one page, so
     *     that the page could not be read again
     */
    public static void seal(ByteBuffer chunk, int offset, int pageBytes, PageChecksum kind) {
        PageHeader.writeTrailer(chunk, offset, pageBytes);
        PageMemory.putByte(chunk, offset + PageHeader.CHECKSUM_KIND_OFFSET, kind.code());
        int sum = compute(chunk, offset, pageBytes, kind);
        if (ChecksumKinds.isCustom(kind.code()) && compute(chunk, offset, pageBytes, kind) != sum) {
            throw new ChecksumException(
                    "checksum function is not the same for the same page: " + kind, null);
        }
        PageMemory.putInt(chunk, offset + PageHeader.CHECKSUM_OFFSET, sum);
    }

    /**
     * Checks before a page is sealed what {@link #verify} checks after it was read: a page that
     * does not bear its own address, or whose reserved bytes are set, must not reach the disk.
     */
    public static void checkBeforeWrite(ByteBuffer chunk, int offset, long pageId) {
        long stored = storedPageId(chunk, offset);
        Invariants.check(stored == pageId, "page bears the id of its frame", stored, pageId);
        byte type = PageMemory.getByte(chunk, offset + PageHeader.TYPE_OFFSET);
        Invariants.check(type != 0, "page to be written has a type", pageId);
    }

    /** The same where no kinds from outside are known. */
    public static Fault verify(
            ByteBuffer chunk, int offset, int pageBytes, long pageId, int allowedKindsMask) {
        return verify(chunk, offset, pageBytes, pageId, allowedKindsMask, ChecksumKinds.BUILT_IN);
    }

    /**
     * Checks a page as it came from the disk; allocates nothing, unless for a kind from outside.
     *
     * @param allowedKindsMask {@link #kindBit}s of the checksum kinds that the space allows
     * @param kinds those that are known
     * @throws ChecksumException if a kind from outside throws
     */
    public static Fault verify(
            ByteBuffer chunk,
            int offset,
            int pageBytes,
            long pageId,
            int allowedKindsMask,
            ChecksumKinds kinds) {
        byte type = PageMemory.getByte(chunk, offset + PageHeader.TYPE_OFFSET);
        if (type == 0 && isZero(chunk, offset, pageBytes)) {
            return Fault.NEVER_WRITTEN;
        }
        if (TestHooks.fault(PlantedFault.TORN_PAGE_ACCEPTED)) {
            return Fault.NONE;
        }
        int code = PageMemory.getUnsignedByte(chunk, offset + PageHeader.CHECKSUM_KIND_OFFSET);
        if (!kinds.isKnown(code) || (allowedKindsMask & 1 << code) == 0) {
            return Fault.KIND_NOT_ALLOWED;
        }
        PageChecksum kind = kinds.byCode(code);
        if (kind != PageChecksums.NONE && !checksumMatches(chunk, offset, pageBytes, kind)) {
            return trailerMatches(chunk, offset, pageBytes) ? Fault.CHECKSUM : Fault.TORN;
        }
        return PageHeader.check(chunk, offset, pageBytes, pageId);
    }

    /** The same where no kinds from outside are known. */
    public static CorruptionException describe(
            Fault fault,
            ByteBuffer chunk,
            int offset,
            int pageBytes,
            long pageId,
            int allowedKindsMask,
            String fileName) {
        return describe(
                fault,
                chunk,
                offset,
                pageBytes,
                pageId,
                allowedKindsMask,
                ChecksumKinds.BUILT_IN,
                fileName);
    }

    /** The typed error for a fault, with what was expected and what was found. */
    public static CorruptionException describe(
            Fault fault,
            ByteBuffer chunk,
            int offset,
            int pageBytes,
            long pageId,
            int allowedKindsMask,
            ChecksumKinds kinds,
            String fileName) {
        String expected;
        String found;
        switch (fault) {
            case NEVER_WRITTEN:
                expected = "a page";
                found = "a page that was never written";
                break;
            case MISDIRECTED:
                expected = "the page of this place";
                found = "the page of " + PageId.describe(storedPageId(chunk, offset));
                break;
            case TORN:
                expected = "trailerLsn=" + Integer.toHexString(lowPageLsn(chunk, offset));
                found = "trailerLsn=" + Integer.toHexString(trailerLsn(chunk, offset, pageBytes));
                break;
            case RESERVED_NOT_ZERO:
                expected = "reserved bytes of header and trailer zero";
                found = "others";
                break;
            case CHECKSUM:
                int code =
                        PageMemory.getUnsignedByte(chunk, offset + PageHeader.CHECKSUM_KIND_OFFSET);
                PageChecksum kind = kinds.byCode(code);
                expected =
                        kind.name()
                                + " checksum="
                                + Integer.toHexString(compute(chunk, offset, pageBytes, kind));
                found = "checksum=" + Integer.toHexString(storedChecksum(chunk, offset));
                break;
            case KIND_NOT_ALLOWED:
                expected =
                        "a checksum kind of mask="
                                + Integer.toBinaryString(allowedKindsMask)
                                + ", kinds="
                                + kinds.names(allowedKindsMask);
                found =
                        "kind="
                                + PageMemory.getUnsignedByte(
                                        chunk, offset + PageHeader.CHECKSUM_KIND_OFFSET);
                break;
            case NONE:
            default:
                throw new IllegalArgumentException("not a fault: fault=" + fault);
        }
        return new CorruptionException(
                "page is damaged",
                fileName,
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                expected,
                found);
    }

    /** The id that the page bears itself. */
    public static long storedPageId(ByteBuffer chunk, int offset) {
        return PageId.of(
                PageMemory.getInt(chunk, offset + PageHeader.SPACE_ID_OFFSET),
                PageMemory.getInt(chunk, offset + PageHeader.PAGE_NUMBER_OFFSET));
    }

    private static int compute(ByteBuffer chunk, int offset, int pageBytes, PageChecksum kind) {
        int from = offset + PageHeader.CHECKSUM_KIND_OFFSET;
        int length = pageBytes - PageHeader.CHECKSUM_KIND_OFFSET;
        return PageChecksums.compute(kind, chunk, from, length);
    }

    private static boolean checksumMatches(
            ByteBuffer chunk, int offset, int pageBytes, PageChecksum kind) {
        return compute(chunk, offset, pageBytes, kind) == storedChecksum(chunk, offset);
    }

    private static int storedChecksum(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + PageHeader.CHECKSUM_OFFSET);
    }

    private static boolean trailerMatches(ByteBuffer chunk, int offset, int pageBytes) {
        return lowPageLsn(chunk, offset) == trailerLsn(chunk, offset, pageBytes);
    }

    private static int lowPageLsn(ByteBuffer chunk, int offset) {
        return (int) PageHeader.pageLsn(chunk, offset);
    }

    private static int trailerLsn(ByteBuffer chunk, int offset, int pageBytes) {
        return PageMemory.getInt(chunk, offset + pageBytes + PageHeader.TRAILER_LSN_OFFSET);
    }

    private static boolean isZero(ByteBuffer chunk, int offset, int pageBytes) {
        for (int i = 0; i < pageBytes; i += Long.BYTES) {
            if (PageMemory.getLong(chunk, offset + i) != 0) {
                return false;
            }
        }
        return true;
    }
}
