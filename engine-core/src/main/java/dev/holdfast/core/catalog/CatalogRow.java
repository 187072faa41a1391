// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.Limits;
import dev.holdfast.core.space.StoreFiles;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One row of the catalog tree; the byte table is {@code docs/format/catalog-row.md}.
 *
 * @param treeId the row's key
 * @param options opaque to this version, kept as they are
 */
record CatalogRow(
        int treeId,
        String name,
        int spaceId,
        int rootPage,
        TableState state,
        SortedMap<String, String> options) {
    static final int KEY_BYTES = Integer.BYTES;

    static final int ROW_VERSION_OFFSET = 0;
    static final int STATE_OFFSET = ROW_VERSION_OFFSET + Byte.BYTES;
    static final int KEY_FORMAT_OFFSET = STATE_OFFSET + Byte.BYTES;
    static final int SPACE_ID_OFFSET = KEY_FORMAT_OFFSET + Short.BYTES;
    static final int ROOT_PAGE_OFFSET = SPACE_ID_OFFSET + Integer.BYTES;
    static final int INDEX_KIND_OFFSET = ROOT_PAGE_OFFSET + Integer.BYTES;
    static final int RESERVED_OFFSET = INDEX_KIND_OFFSET + Byte.BYTES;
    static final int NAME_LENGTH_OFFSET = RESERVED_OFFSET + Byte.BYTES;
    static final int NAME_OFFSET = NAME_LENGTH_OFFSET + Short.BYTES;

    private static final int ROW_VERSION = 1;

    /** Keys are bytes in unsigned order; other codes are for tuples. */
    private static final int KEY_FORMAT_BYTES = 0;

    /** The tree is a table; other codes are for indexes. */
    private static final int INDEX_KIND_NONE = 0;

    /** So that a row fits into a quarter of the smallest page, with room to spare. */
    static final int OPTIONS_BYTES_MAX = 512;

    private static final String WHERE = StoreFiles.spaceFile(StoreFiles.MAIN_SPACE);

    CatalogRow withName(String newName) {
        return new CatalogRow(treeId, newName, spaceId, rootPage, state, options);
    }

    CatalogRow withState(TableState newState) {
        return new CatalogRow(treeId, name, spaceId, rootPage, newState, options);
    }

    /** The key of a tree's row: its id, big-endian, so that rows sort by id. */
    static byte[] key(int treeId) {
        return ByteBuffer.allocate(KEY_BYTES).putInt(treeId).array();
    }

    byte[] encode() {
        byte[] nameBytes = name.getBytes(UTF_8);
        byte[] optionBytes = encodedOptions();
        ByteBuffer row =
                ByteBuffer.allocate(NAME_OFFSET + nameBytes.length + optionBytes.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        row.put((byte) ROW_VERSION)
                .put((byte) state.code())
                .putShort((short) KEY_FORMAT_BYTES)
                .putInt(spaceId)
                .putInt(rootPage)
                .put((byte) INDEX_KIND_NONE)
                .put((byte) 0)
                .putShort((short) nameBytes.length)
                .put(nameBytes)
                .put(optionBytes);
        return row.array();
    }

    private byte[] encodedOptions() {
        int bytes = Short.BYTES;
        for (Map.Entry<String, String> option : options.entrySet()) {
            bytes += 2 * Short.BYTES;
            bytes += option.getKey().getBytes(UTF_8).length;
            bytes += option.getValue().getBytes(UTF_8).length;
        }
        if (bytes > OPTIONS_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "options of a table are too long: bytes="
                            + bytes
                            + ", max="
                            + OPTIONS_BYTES_MAX);
        }
        ByteBuffer encoded = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        encoded.putShort((short) options.size());
        for (Map.Entry<String, String> option : options.entrySet()) {
            putText(encoded, option.getKey());
            putText(encoded, option.getValue());
        }
        return encoded.array();
    }

    private static void putText(ByteBuffer target, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        target.putShort((short) bytes.length).put(bytes);
    }

    /**
     * Reads what {@link #encode} wrote; total on any bytes.
     *
     * @throws FormatException if a newer version wrote it
     * @throws CorruptionException if no version wrote it
     */
    static CatalogRow decode(int treeId, byte[] bytes) {
        ByteBuffer row = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            int version = row.get();
            if (version > ROW_VERSION) {
                throw new FormatException(
                        "catalog row is newer than this version",
                        WHERE,
                        "rowVersion<=" + ROW_VERSION,
                        "rowVersion=" + version + ", treeId=" + treeId);
            }
            require(treeId, version == ROW_VERSION, "rowVersion=" + version);
            TableState state = state(treeId, row.get());
            short keyFormat = row.getShort();
            requireKnown(treeId, keyFormat == KEY_FORMAT_BYTES, "keyFormat=" + keyFormat);
            int spaceId = row.getInt();
            int rootPage = row.getInt();
            byte indexKind = row.get();
            requireKnown(treeId, indexKind == INDEX_KIND_NONE, "indexKind=" + indexKind);
            require(treeId, row.get() == 0, "reserved byte not zero");
            String name = getText(treeId, row);
            int nameBytes = name.getBytes(UTF_8).length;
            require(
                    treeId,
                    nameBytes > 0 && nameBytes <= Limits.TABLE_NAME_BYTES_MAX,
                    "nameBytes=" + nameBytes);
            SortedMap<String, String> options = new TreeMap<>();
            int count = row.getShort() & 0xFFFF;
            for (int i = 0; i < count; i++) {
                options.put(getText(treeId, row), getText(treeId, row));
            }
            require(treeId, options.size() == count, "an option twice");
            require(treeId, !row.hasRemaining(), "bytes behind the row");
            return new CatalogRow(treeId, name, spaceId, rootPage, state, options);
        } catch (BufferUnderflowException tooShort) {
            throw damaged(treeId, "bytes=" + bytes.length);
        }
    }

    private static TableState state(int treeId, byte code) {
        for (TableState state : TableState.values()) {
            if (state.code() == code) {
                return state;
            }
        }
        throw damaged(treeId, "state=" + code);
    }

    private static String getText(int treeId, ByteBuffer row) {
        int length = row.getShort() & 0xFFFF;
        if (length > row.remaining()) {
            throw damaged(treeId, "textLength=" + length);
        }
        ByteBuffer text = row.slice(row.position(), length);
        row.position(row.position() + length);
        try {
            return UTF_8.newDecoder().decode(text).toString();
        } catch (CharacterCodingException notText) {
            throw damaged(treeId, "text that is not UTF-8");
        }
    }

    private static void require(int treeId, boolean condition, String found) {
        if (!condition) {
            throw damaged(treeId, found);
        }
    }

    private static void requireKnown(int treeId, boolean condition, String found) {
        if (!condition) {
            throw new FormatException(
                    "table needs a feature that this version lacks",
                    WHERE,
                    "codes of version " + ROW_VERSION,
                    found + ", treeId=" + treeId);
        }
    }

    private static CorruptionException damaged(int treeId, String found) {
        return new CorruptionException(
                "catalog row is damaged: treeId=" + Integer.toUnsignedString(treeId),
                WHERE,
                "a row as it is written",
                found);
    }
}
