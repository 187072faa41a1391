// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Layout of page 0 of every space, behind the page header.
 *
 * <p>The byte table is {@code docs/format/space-header.md}. It repeats the store's identity, so
 * that a file of another store is noticed and a damaged identity file can be restored.
 *
 * <p><b>Latches:</b> none taken. Getters need the page latched or private; setters exclusively.
 */
public final class SpaceHeader {
    /** The number of this page in its space. */
    public static final int PAGE_NUMBER = 0;

    public static final int MAGIC_OFFSET = PageHeader.BODY_OFFSET;
    public static final int UUID_OFFSET = MAGIC_OFFSET + Long.BYTES;
    public static final int FORMAT_VERSION_OFFSET = UUID_OFFSET + 2 * Long.BYTES;
    public static final int PAGE_BYTES_OFFSET = FORMAT_VERSION_OFFSET + Integer.BYTES;
    public static final int INCOMPATIBLE_FEATURES_OFFSET = PAGE_BYTES_OFFSET + Integer.BYTES;
    public static final int COMPATIBLE_FEATURES_OFFSET = INCOMPATIBLE_FEATURES_OFFSET + Long.BYTES;
    public static final int PAGE_COUNT_OFFSET = COMPATIBLE_FEATURES_OFFSET + Long.BYTES;
    public static final int KEY_ID_OFFSET = PAGE_COUNT_OFFSET + Integer.BYTES;
    public static final int KIND_OFFSET = KEY_ID_OFFSET + Integer.BYTES;
    public static final int SEAL_KIND_OFFSET = KIND_OFFSET + Byte.BYTES;
    public static final int RESERVED_OFFSET = SEAL_KIND_OFFSET + Byte.BYTES;
    public static final int CHECKSUM_KINDS_OFFSET = RESERVED_OFFSET + Short.BYTES;
    public static final int CONVERSION_LSN_OFFSET = CHECKSUM_KINDS_OFFSET + Integer.BYTES;
    public static final int CONVERTED_PAGES_OFFSET = CONVERSION_LSN_OFFSET + Long.BYTES;
    public static final int RESERVED_TOO_OFFSET = CONVERTED_PAGES_OFFSET + Integer.BYTES;
    public static final int CUSTOM_KINDS_OFFSET = RESERVED_TOO_OFFSET + Integer.BYTES;
    public static final int ZEROS_OFFSET =
            CUSTOM_KINDS_OFFSET + SpaceKinds.CUSTOM_MAX * SpaceKinds.CUSTOM_BYTES;

    /** The bytes "HFSSPACE". */
    static final long MAGIC = 0x4543_4150_5353_4648L;

    static {
        assert UUID_OFFSET % Long.BYTES == 0 : "the uuid's halves are aligned";
        assert CONVERSION_LSN_OFFSET % Long.BYTES == 0 : "the LSN is aligned";
        assert INCOMPATIBLE_FEATURES_OFFSET % Long.BYTES == 0 : "feature words are aligned";
        assert ZEROS_OFFSET % Long.BYTES == 0 : "the rest is checked by words";
    }

    private SpaceHeader() {}

    /** Writes a whole header page; its page LSN is zero. */
    static void initialize(
            ByteBuffer chunk,
            int offset,
            StoreIdentity identity,
            int spaceId,
            PageChecksum checksum,
            int pageCount) {
        int pageBytes = identity.pageBytes();
        PageMemory.fill(chunk, offset, pageBytes, (byte) 0);
        PageHeader.initialize(
                chunk,
                offset,
                pageBytes,
                PageId.of(spaceId, PAGE_NUMBER),
                AllocationMap.SYSTEM_OWNER,
                PageType.SPACE_HEADER);
        PageMemory.putLong(chunk, offset + MAGIC_OFFSET, MAGIC);
        UUID uuid = identity.uuid();
        PageMemory.putBigEndianLong(chunk, offset + UUID_OFFSET, uuid.getMostSignificantBits());
        PageMemory.putBigEndianLong(
                chunk, offset + UUID_OFFSET + Long.BYTES, uuid.getLeastSignificantBits());
        PageMemory.putInt(chunk, offset + FORMAT_VERSION_OFFSET, FeatureBits.FORMAT_VERSION);
        PageMemory.putInt(chunk, offset + PAGE_BYTES_OFFSET, pageBytes);
        PageMemory.putLong(
                chunk, offset + INCOMPATIBLE_FEATURES_OFFSET, identity.incompatibleFeatures());
        PageMemory.putLong(
                chunk, offset + COMPATIBLE_FEATURES_OFFSET, identity.compatibleFeatures());
        PageMemory.putInt(chunk, offset + PAGE_COUNT_OFFSET, pageCount);
        PageMemory.putByte(chunk, offset + KIND_OFFSET, SpaceKind.of(spaceId).code());
        SpaceKinds.write(SpaceKinds.of(checksum).encode(), chunk, offset);
    }

    /** The number of pages that belong to the space, unsigned; the file may be longer. */
    public static int pageCount(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + PAGE_COUNT_OFFSET);
    }

    static int pageBytes(ByteBuffer chunk, int offset) {
        return PageMemory.getInt(chunk, offset + PAGE_BYTES_OFFSET);
    }

    static boolean hasMagic(ByteBuffer chunk, int offset) {
        return PageMemory.getLong(chunk, offset + MAGIC_OFFSET) == MAGIC;
    }

    static StoreIdentity identity(ByteBuffer chunk, int offset) {
        return new StoreIdentity(
                uuid(chunk, offset),
                PageMemory.getInt(chunk, offset + FORMAT_VERSION_OFFSET),
                pageBytes(chunk, offset),
                PageMemory.getLong(chunk, offset + INCOMPATIBLE_FEATURES_OFFSET),
                PageMemory.getLong(chunk, offset + COMPATIBLE_FEATURES_OFFSET));
    }

    private static UUID uuid(ByteBuffer chunk, int offset) {
        return new UUID(
                PageMemory.bigEndianLong(chunk, offset + UUID_OFFSET),
                PageMemory.bigEndianLong(chunk, offset + UUID_OFFSET + Long.BYTES));
    }

    /**
     * Returns if the header of a sound page fits the store and the space; to be called with no
     * latch held.
     *
     * @throws FormatException if it is of another version, another store or another page size
     * @throws CorruptionException if a value is one that no version writes
     */
    static void check(ByteBuffer chunk, int offset, StoreIdentity store, int spaceId, String file) {
        checkStore(chunk, offset, store, file);
        String fault = fault(chunk, offset, store.pageBytes(), spaceId);
        if (!fault.isEmpty()) {
            throw new CorruptionException(
                    "space header is damaged",
                    file,
                    Integer.toUnsignedLong(spaceId),
                    PAGE_NUMBER,
                    "a header as it is written",
                    fault);
        }
    }

    /** The part of {@link #check} that tells another store, version or page size. */
    static void checkStore(ByteBuffer chunk, int offset, StoreIdentity store, String file) {
        if (!hasMagic(chunk, offset)) {
            throw new FormatException(
                    "file is no space",
                    file,
                    "magic=" + Long.toHexString(MAGIC),
                    "magic=" + Long.toHexString(PageMemory.getLong(chunk, offset + MAGIC_OFFSET)));
        }
        StoreIdentity found = identity(chunk, offset);
        FeatureBits.check(file, found.formatVersion(), found.incompatibleFeatures());
        if (!found.uuid().equals(store.uuid())) {
            throw new FormatException(
                    "file belongs to another store",
                    file,
                    "uuid=" + store.uuid(),
                    "uuid=" + found.uuid());
        }
        if (found.pageBytes() != store.pageBytes()) {
            throw new FormatException(
                    "file has another page size",
                    file,
                    "pageBytes=" + store.pageBytes(),
                    "pageBytes=" + found.pageBytes());
        }
    }

    /** The first thing in the page that no version writes, or an empty text. */
    static String fault(ByteBuffer chunk, int offset, int pageBytes, int spaceId) {
        int type = PageMemory.getByte(chunk, offset + PageHeader.TYPE_OFFSET);
        if (type != PageType.SPACE_HEADER) {
            return "type=" + type;
        }
        int kind = PageMemory.getUnsignedByte(chunk, offset + KIND_OFFSET);
        if (kind != SpaceKind.of(spaceId).code()) {
            return "kind=" + kind;
        }
        String kindsFault = SpaceKinds.read(chunk, offset).fault();
        if (!kindsFault.isEmpty()) {
            return kindsFault;
        }
        int pages = pageCount(chunk, offset);
        if (pages >= 0 && pages < AllocationMap.FIRST_FREE_PAGE) {
            return "pageCount=" + pages;
        }
        int reserved =
                PageMemory.getInt(chunk, offset + KEY_ID_OFFSET)
                        | PageMemory.getShort(chunk, offset + RESERVED_OFFSET)
                        | PageMemory.getInt(chunk, offset + RESERVED_TOO_OFFSET);
        int end = offset + pageBytes + PageHeader.TRAILER_LSN_OFFSET;
        long rest = 0;
        for (int at = offset + ZEROS_OFFSET; at < end; at += Long.BYTES) {
            rest |= PageMemory.getLong(chunk, at);
        }
        return (reserved | rest) == 0 ? "" : "reserved bytes not zero";
    }
}
