// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.FormatException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a space's header says of the checksums of its pages.
 *
 * @param mask bits of the kinds that its pages may bear; more than one only while it is converted
 * @param sealKind the code that pages get when they are written; while the space is converted it is
 *     the new one, though it counts only once this header is durable
 * @param conversionLsn while it is converted, and once pages get the new kind: a page whose LSN is
 *     higher has it, or will have it before the log lets go of that LSN; else zero
 * @param convertedPages pages below it are done with, by the same measure
 * @param customNames the names of the kinds in the mask that come from outside, by code
 */
record SpaceKinds(
        int mask,
        int sealKind,
        long conversionLsn,
        int convertedPages,
        Map<Integer, String> customNames) {
    /** Kinds from outside that a space's pages may bear at a time: old, new, and one more. */
    static final int CUSTOM_MAX = 3;

    /** Code, length of the name, name. */
    static final int CUSTOM_BYTES = 32;

    /** All of this, in the header one behind the other. */
    static final int BYTES = SpaceHeader.ZEROS_OFFSET - SpaceHeader.SEAL_KIND_OFFSET;

    private static final int NAME_BYTES_MAX = CUSTOM_BYTES - 2;
    private static final int BUILT_IN_MASK = ChecksumKinds.BUILT_IN.mask();
    private static final int CUSTOM_MASK = -1 << ChecksumKinds.CUSTOM_CODE_MIN;

    private static final Pattern NAME_CHARACTERS = Pattern.compile("[A-Z0-9_-]+");

    /** Names of kinds that are not sound are kept under this code, which has no bit. */
    private static final int UNSOUND = -1;

    /** Those of a space of one kind. */
    static SpaceKinds of(PageChecksum kind) {
        Map<Integer, String> names = new TreeMap<>();
        if (ChecksumKinds.isCustom(kind.code())) {
            names.put((int) kind.code(), kind.name());
        }
        return new SpaceKinds(PageSeal.kindBit(kind), kind.code(), 0, 0, names);
    }

    /** Those of a conversion that begins, with the kinds of before. */
    SpaceKinds converting(PageChecksum to) {
        SpaceKinds alone = of(to);
        Map<Integer, String> names = new TreeMap<>(customNames);
        names.putAll(alone.customNames);
        return new SpaceKinds(mask | alone.mask, to.code(), 0, 0, names);
    }

    /** The same a step further on. */
    SpaceKinds converted(long fromLsn, int pages) {
        return new SpaceKinds(mask, sealKind, fromLsn, pages, customNames);
    }

    boolean isConverting() {
        return Integer.bitCount(mask) > 1;
    }

    /** Whether a header has a place for the names of all kinds from outside. */
    boolean hasPlace() {
        return customNames.size() <= CUSTOM_MAX;
    }

    boolean isOnly(PageChecksum kind) {
        return mask == PageSeal.kindBit(kind);
    }

    static SpaceKinds read(ByteBuffer chunk, int offset) {
        Map<Integer, String> names = new TreeMap<>();
        for (int i = 0; i < CUSTOM_MAX; i++) {
            readName(chunk, offset + SpaceHeader.CUSTOM_KINDS_OFFSET + i * CUSTOM_BYTES, names);
        }
        return new SpaceKinds(
                PageMemory.getInt(chunk, offset + SpaceHeader.CHECKSUM_KINDS_OFFSET),
                PageMemory.getUnsignedByte(chunk, offset + SpaceHeader.SEAL_KIND_OFFSET),
                PageMemory.getLong(chunk, offset + SpaceHeader.CONVERSION_LSN_OFFSET),
                PageMemory.getInt(chunk, offset + SpaceHeader.CONVERTED_PAGES_OFFSET),
                names);
    }

    private static void readName(ByteBuffer chunk, int at, Map<Integer, String> names) {
        int code = PageMemory.getUnsignedByte(chunk, at);
        int length = PageMemory.getUnsignedByte(chunk, at + 1);
        byte[] bytes = new byte[NAME_BYTES_MAX];
        int used = 0;
        for (int i = 0; i < NAME_BYTES_MAX; i++) {
            bytes[i] = PageMemory.getByte(chunk, at + 2 + i);
            used = bytes[i] == 0 ? used : i + 1;
        }
        if (code == 0 && length == 0 && used == 0) {
            return;
        }
        String name = new String(bytes, 0, used, StandardCharsets.US_ASCII);
        boolean sound =
                ChecksumKinds.isCustom(code)
                        && length == used
                        && NAME_CHARACTERS.matcher(name).matches();
        names.put(sound ? code : UNSOUND, name);
    }

    /** The bytes of the header that say all this; they {@link #hasPlace} there. */
    byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) sealKind).putShort((short) 0).putInt(mask);
        bytes.putLong(conversionLsn).putInt(convertedPages).putInt(0);
        for (Map.Entry<Integer, String> custom : customNames.entrySet()) {
            byte[] name = Arrays.copyOf(ascii(custom.getValue()), NAME_BYTES_MAX);
            bytes.put(custom.getKey().byteValue()).put((byte) custom.getValue().length()).put(name);
        }
        return bytes.array();
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** Puts {@link #encode encoded} bytes in place of what was there; allocates nothing. */
    static void write(byte[] encoded, ByteBuffer chunk, int offset) {
        PageMemory.copyIn(chunk, offset + SpaceHeader.SEAL_KIND_OFFSET, encoded, 0, BYTES);
    }

    /** The first thing in them that no version writes, or an empty text. */
    String fault() {
        int builtIn = mask & ~CUSTOM_MASK;
        if (mask == 0 || (builtIn & ~BUILT_IN_MASK) != 0) {
            return "checksumKinds=" + Integer.toBinaryString(mask);
        }
        if (sealKind >= ChecksumKinds.CODES || (mask & 1 << sealKind) == 0) {
            return "sealKind=" + sealKind;
        }
        if (!isConverting() && (conversionLsn | convertedPages) != 0) {
            return "conversionLsn=" + conversionLsn + ", convertedPages=" + convertedPages;
        }
        int named = 0;
        for (Map.Entry<Integer, String> custom : customNames.entrySet()) {
            if (custom.getKey() == UNSOUND) {
                return "customKinds=" + custom.getValue();
            }
            named |= 1 << custom.getKey();
        }
        return named == (mask & CUSTOM_MASK) ? "" : "customKinds=" + customNames;
    }

    /**
     * Returns if all kinds are known.
     *
     * @throws FormatException if one is not, or is known by another name
     */
    void requireKnown(ChecksumKinds known, String file) {
        for (int code : customNames.keySet()) {
            if (code != UNSOUND && (mask & 1 << code) != 0) {
                requireKnown(code, known, file);
            }
        }
    }

    /**
     * Looks at a header page that may be damaged: if it bears a kind from outside that it names as
     * one of its space, that kind must be known.
     *
     * @throws FormatException if it is not, or by another name
     */
    static void requireOwnKindKnown(
            ByteBuffer chunk, int offset, ChecksumKinds known, String file) {
        int code = PageMemory.getUnsignedByte(chunk, offset + PageHeader.CHECKSUM_KIND_OFFSET);
        SpaceKinds kinds = read(chunk, offset);
        if (ChecksumKinds.isCustom(code)
                && (kinds.mask & 1 << code) != 0
                && kinds.customNames.containsKey(code)) {
            kinds.requireKnown(code, known, file);
        }
    }

    private void requireKnown(int code, ChecksumKinds known, String file) {
        String name = customNames.get(code);
        if (!known.isKnown(code) || !known.byCode(code).name().equals(name)) {
            throw new FormatException(
                    "pages bear a checksum that is not supplied",
                    file,
                    "checksum=" + name + ", code=" + code,
                    known.isKnown(code)
                            ? "checksum=" + known.byCode(code).name() + ", code=" + code
                            : "checksums=" + known.names(known.mask()));
        }
    }
}
