// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.workload.LiveSide;
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

    /** Lends such directories to whom will remove them himself. */
    static LiveSide.Directories lender() {
        return new Lender(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** The same below a directory. */
    static LiveSide.Directories lenderBelow(Path directory) {
        return new Lender(directory);
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
        remove(path);
    }

    private static void remove(Path directory) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> paths = Files.walk(directory)) {
            deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.deleteIfExists(each);
        }
    }

    private record Lender(Path place) implements LiveSide.Directories {
        @Override
        public Path make() throws IOException {
            return Files.createTempDirectory(place, PREFIX);
        }

        @Override
        public void remove(Path directory) throws IOException {
            TemporaryDirectory.remove(directory);
        }
    }
}
