// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.core.btree.TreeLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * What is imported: the files of the running JDK's image, and made values of the lengths at which a
 * store does something else. Entries are sorted by key. Immutable; the same in every JVM of one
 * JDK, for one page size and seed.
 */
final class ImportSource {
    private static final int MADE_KEY_BYTES = "made/00000000".length();

    private static final Comparator<Entry> BY_KEY = (a, b) -> Arrays.compareUnsigned(a.key, b.key);

    private final List<Entry> entries;
    private final long seed;

    private ImportSource(List<Entry> entries, long seed) {
        this.entries = entries;
        this.seed = seed;
    }

    static ImportSource open(int pageBytes, SourceSettings settings) throws IOException {
        List<Entry> files = new ArrayList<>(30_000);
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> paths = Files.walk(root)) {
            paths.filter(Files::isRegularFile)
                    .forEach(path -> files.add(new Entry(bytes(root.relativize(path)), path, 0)));
        }
        files.sort(BY_KEY);
        List<Entry> entries = spread(files, settings.filesMax());
        for (int length : madeLengths(pageBytes)) {
            String key = String.format(Locale.ROOT, "made/%08d", length);
            entries.add(new Entry(key.getBytes(StandardCharsets.UTF_8), null, length));
        }
        entries.sort(BY_KEY);
        return new ImportSource(entries, settings.seed());
    }

    int count() {
        return entries.size();
    }

    /** Returns the key of an entry, which must not be changed. */
    byte[] key(int entry) {
        return entries.get(entry).key;
    }

    /** Reads the value of an entry, a new array each time. */
    byte[] value(int entry) {
        Entry wanted = entries.get(entry);
        if (wanted.file == null) {
            byte[] value = new byte[wanted.madeLength];
            new SplittableRandom(seed + wanted.madeLength).nextBytes(value);
            return value;
        }
        try {
            return Files.readAllBytes(wanted.file);
        } catch (IOException e) {
            throw new UncheckedIOException("source unreadable: file=" + wanted.file, e);
        }
    }

    /** Returns the position of the first entry whose key is not below the one given. */
    int atLeast(byte[] key) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(entries.get(middle).key, key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the beginning of an entry's key up to its last slash: its package. */
    byte[] packagePrefix(int entry) {
        byte[] key = entries.get(entry).key;
        int length = key.length;
        while (length > 0 && key[length - 1] != '/') {
            length--;
        }
        return Arrays.copyOf(key, length);
    }

    /** Returns so many of the entries, at equal distances. */
    private static List<Entry> spread(List<Entry> entries, int countMax) {
        int count = Math.min(countMax, entries.size());
        List<Entry> chosen = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            chosen.add(entries.get((int) ((long) i * entries.size() / count)));
        }
        return chosen;
    }

    private static byte[] bytes(Path relative) {
        return relative.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static int[] madeLengths(int pageBytes) {
        int inlineMax = 0;
        while (TreeLimits.isInline(pageBytes, MADE_KEY_BYTES, inlineMax + 1)) {
            inlineMax++;
        }
        return new int[] {0, 1, inlineMax - 1, inlineMax, inlineMax + 1, 1 << 20, 16 << 20};
    }

    /** A key, and either the file that holds its value or the length of a made one. */
    private static final class Entry {
        private final byte[] key;
        private final Path file;
        private final int madeLength;

        Entry(byte[] key, Path file, int madeLength) {
            this.key = key;
            this.file = file;
            this.madeLength = madeLength;
        }
    }
}
