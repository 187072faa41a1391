// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.holdfast.FormatException;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Who a store is: what its files repeat in their headers, and what cannot change.
 *
 * <p>Kept as text in {@code holdfast.id}, written once; the format is {@code
 * docs/format/identity.md}.
 *
 * @param uuid distinguishes this store's files from every other store's
 * @param formatVersion the version that created it
 * @param pageBytes the size of every page
 * @param incompatibleFeatures bits of which an unknown one refuses the open
 * @param compatibleFeatures bits of which an unknown one does no harm
 * @param undoSpaces how many undo spaces it was created with; zero in a store that does not say
 * @param ioCapacity pages a second that the device was found to be good for; zero in a store that
 *     does not say
 */
public record StoreIdentity(
        UUID uuid,
        int formatVersion,
        int pageBytes,
        long incompatibleFeatures,
        long compatibleFeatures,
        int undoSpaces,
        int ioCapacity) {
    /*
     * Text, so that a person can tell what a directory is. The last line is a checksum of all lines
     * before it in every version, which is what lets damage be told from a newer format: first the
     * checksum, then the version, then the rest. The file is padded with line feeds to one block of
     * 4 KiB, because files opened for direct IO are read and written in such blocks only.
     */

    /** The length of the file. */
    static final int FILE_BYTES = 4096;

    private static final String TITLE = "holdfast store\n";
    private static final String FORMAT_NAME = "format";
    private static final String UUID_NAME = "uuid";
    private static final String PAGE_BYTES_NAME = "pageBytes";
    private static final String INCOMPATIBLE_NAME = "incompatibleFeatures";
    private static final String COMPATIBLE_NAME = "compatibleFeatures";
    private static final String UNDO_SPACES_NAME = "undoSpaces";
    private static final String IO_CAPACITY_NAME = "ioCapacity";
    private static final String CHECKSUM_NAME = "crc32c";
    private static final String IS = " = ";

    private static final int PAGE_BYTES_MIN = 4096;
    private static final int PAGE_BYTES_MAX = 65536;

    /** One that says neither how many undo spaces there are nor what the device is good for. */
    public StoreIdentity(
            UUID uuid,
            int formatVersion,
            int pageBytes,
            long incompatibleFeatures,
            long compatibleFeatures) {
        this(uuid, formatVersion, pageBytes, incompatibleFeatures, compatibleFeatures, 0, 0);
    }

    /** The identity of a store that is about to be created. */
    public static StoreIdentity create(UUID uuid, int pageBytes) {
        return new StoreIdentity(uuid, FeatureBits.FORMAT_VERSION, pageBytes, 0, 0);
    }

    /** The same with the number of undo spaces, which a space header does not repeat. */
    public StoreIdentity withUndoSpaces(int count) {
        return new StoreIdentity(
                uuid,
                formatVersion,
                pageBytes,
                incompatibleFeatures,
                compatibleFeatures,
                count,
                ioCapacity);
    }

    /** The same with what the device was found to be good for. */
    public StoreIdentity withIoCapacity(int pagesPerSecond) {
        return new StoreIdentity(
                uuid,
                formatVersion,
                pageBytes,
                incompatibleFeatures,
                compatibleFeatures,
                undoSpaces,
                pagesPerSecond);
    }

    /** Whether pages can have that size. */
    public static boolean isPageBytes(int pageBytes) {
        return pageBytes >= PAGE_BYTES_MIN
                && pageBytes <= PAGE_BYTES_MAX
                && Integer.bitCount(pageBytes) == 1;
    }

    /** The same where no checksums from outside are known. */
    public static StoreIdentity read(StorageDirectory directory) throws IOException {
        return read(directory, ChecksumKinds.BUILT_IN);
    }

    /**
     * Reads the identity of a born store, from its file or, if that is damaged, from the header of
     * the main space, which repeats it. Writes nothing.
     *
     * @throws FormatException if this version cannot open the store, or both are damaged
     */
    public static StoreIdentity read(StorageDirectory directory, ChecksumKinds checksums)
            throws IOException {
        Optional<StoreIdentity> identity = readFile(directory);
        if (identity.isPresent()) {
            return identity.get();
        }
        return SpaceHeaderReader.identity(directory, checksums)
                .orElseThrow(
                        () ->
                                new FormatException(
                                        "identity is damaged, and the main space's header too",
                                        StoreFiles.IDENTITY,
                                        "the lines of a store",
                                        "others"));
    }

    /** Reads the file alone; empty if it is damaged. */
    public static Optional<StoreIdentity> readFile(StorageDirectory directory) throws IOException {
        try (StorageFile file = directory.open(StoreFiles.IDENTITY)) {
            if (file.length() != FILE_BYTES) {
                return Optional.empty();
            }
            ByteBuffer buffer = DiskBuffers.allocate(FILE_BYTES);
            file.read(0, buffer);
            byte[] bytes = new byte[FILE_BYTES];
            buffer.get(0, bytes);
            return decode(bytes);
        }
    }

    /**
     * Writes the file anew, by rename, after it was found damaged and the identity was restored.
     * The caller holds the directory's lock.
     */
    public void rewrite(StorageDirectory directory) throws IOException {
        if (directory.exists(StoreFiles.IDENTITY_NEW)) {
            directory.delete(StoreFiles.IDENTITY_NEW);
        }
        writeNew(directory);
        directory.rename(StoreFiles.IDENTITY_NEW, StoreFiles.IDENTITY);
        directory.syncDirectory("");
    }

    /** Writes the file anew under its unborn name, while the store is not born, and syncs it. */
    public void rewriteUnborn(StorageDirectory directory) throws IOException {
        try (StorageFile file = directory.open(StoreFiles.IDENTITY_NEW)) {
            writeTo(file);
        }
    }

    /** Writes and syncs the file under its unborn name, and syncs the directory. */
    void writeNew(StorageDirectory directory) throws IOException {
        try (StorageFile file = directory.create(StoreFiles.IDENTITY_NEW)) {
            writeTo(file);
        }
        directory.syncDirectory("");
    }

    private void writeTo(StorageFile file) throws IOException {
        ByteBuffer buffer = DiskBuffers.allocate(FILE_BYTES);
        buffer.put(0, encode());
        file.write(0, buffer);
        file.sync(false);
    }

    /** The bytes of the file. */
    byte[] encode() {
        String text =
                TITLE
                        + line(FORMAT_NAME, Integer.toString(formatVersion))
                        + line(UUID_NAME, uuid.toString())
                        + line(PAGE_BYTES_NAME, Integer.toString(pageBytes))
                        + line(INCOMPATIBLE_NAME, Long.toHexString(incompatibleFeatures))
                        + line(COMPATIBLE_NAME, Long.toHexString(compatibleFeatures))
                        + lineUnlessZero(UNDO_SPACES_NAME, undoSpaces)
                        + lineUnlessZero(IO_CAPACITY_NAME, ioCapacity);
        byte[] bytes =
                (text + line(CHECKSUM_NAME, checksum(text.getBytes(ISO_8859_1))))
                        .getBytes(ISO_8859_1);
        byte[] padded = Arrays.copyOf(bytes, FILE_BYTES);
        Arrays.fill(padded, bytes.length, FILE_BYTES, (byte) '\n');
        return padded;
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @return empty if the bytes are damaged
     * @throws FormatException if they are sound and this version cannot open such a store
     */
    static Optional<StoreIdentity> decode(byte[] bytes) {
        String text = new String(bytes, ISO_8859_1);
        int lastLine = text.lastIndexOf("\n" + CHECKSUM_NAME + IS) + 1;
        if (!text.startsWith(TITLE) || lastLine == 0) {
            return Optional.empty();
        }
        String covered = text.substring(0, lastLine);
        String tail = line(CHECKSUM_NAME, checksum(covered.getBytes(ISO_8859_1)));
        String expected = covered + tail;
        if (!text.equals(expected + "\n".repeat(Math.max(0, bytes.length - expected.length())))) {
            return Optional.empty();
        }
        try {
            int format = Integer.parseInt(value(covered, FORMAT_NAME));
            if (format > FeatureBits.FORMAT_VERSION) {
                FeatureBits.check(StoreFiles.IDENTITY, format, 0);
            }
            long incompatible = Long.parseUnsignedLong(value(covered, INCOMPATIBLE_NAME), 16);
            FeatureBits.check(StoreFiles.IDENTITY, format, incompatible);
            int pageBytes = Integer.parseInt(value(covered, PAGE_BYTES_NAME));
            if (!isPageBytes(pageBytes)) {
                return Optional.empty();
            }
            return Optional.of(
                    new StoreIdentity(
                            UUID.fromString(value(covered, UUID_NAME)),
                            format,
                            pageBytes,
                            incompatible,
                            Long.parseUnsignedLong(value(covered, COMPATIBLE_NAME), 16),
                            valueOrZero(covered, UNDO_SPACES_NAME),
                            valueOrZero(covered, IO_CAPACITY_NAME)));
        } catch (IllegalArgumentException notTheLinesOfAStore) {
            return Optional.empty();
        }
    }

    private static int valueOrZero(String text, String name) {
        return text.contains("\n" + name + IS) ? Integer.parseInt(value(text, name)) : 0;
    }

    private static String lineUnlessZero(String name, int value) {
        return value == 0 ? "" : line(name, Integer.toString(value));
    }

    private static String line(String name, String value) {
        return name + IS + value + "\n";
    }

    private static String value(String text, String name) {
        String start = "\n" + name + IS;
        int at = text.indexOf(start);
        if (at < 0) {
            throw new IllegalArgumentException("line is missing: name=" + name);
        }
        int from = at + start.length();
        return text.substring(from, text.indexOf('\n', from));
    }

    private static String checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return Long.toHexString(crc.getValue());
    }
}
