// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory for a store that nobody wants to keep: made where temporary files go, and removed at
 * the end unless somebody has to look into what went wrong.
 */
final class TemporaryDirectory implements AutoCloseable {
    private static final String PREFIX = "holdfast-";

    private final Path path;
    private boolean isToBeRemoved;

    private TemporaryDirectory(Path path) {
        this.path = path;
    }

    static TemporaryDirectory create() throws IOException {
        return new TemporaryDirectory(Files.createTempDirectory(PREFIX));
    }

    /** Makes one in a directory, which says what device it is on. */
    static TemporaryDirectory create(Path parent) throws IOException {
        return new TemporaryDirectory(Files.createTempDirectory(parent, PREFIX));
    }

    Path path() {
        return path;
    }

    /** Has it removed: all went well. */
    void removeAtEnd() {
        isToBeRemoved = true;
    }

    @Override
    public void close() throws IOException {
        if (!isToBeRemoved) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(path)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.deleteIfExists(each);
        }
    }
}
