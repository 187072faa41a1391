// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Private mappings of unlinked sparse files: not limited by the heap's size. */
final class MappedSource implements MemorySource {
    /*
     * A private mapping is copy-on-write: what is written becomes anonymous memory and never
     * reaches the file, which stays a hole of no blocks. The file is needed only to have something
     * to map and loses its name at once, so that nothing is left behind by a crash.
     *
     * This is the one place that uses FileChannel, since nothing else maps. An interrupt closes
     * such a channel, so the flag is taken down around the mapping and put back after it; one that
     * comes between costs another try on another file.
     */

    private static final int TRIES_MAX = 100;

    private final Path directory;

    /** Maps files of the system's directory for temporary files. */
    MappedSource() {
        this(Path.of(System.getProperty("java.io.tmpdir")));
    }

    MappedSource(Path directory) {
        this.directory = directory;
    }

    @Override
    public String name() {
        return "mapped";
    }

    @Override
    public boolean isTouched() {
        return false;
    }

    @Override
    public ByteBuffer allocate(int bytes, int alignment) {
        boolean interrupted = false;
        try {
            for (int tries = 1; ; tries++) {
                interrupted |= Thread.interrupted();
                try {
                    return map(Math.addExact(bytes, alignment))
                            .alignedSlice(alignment)
                            .slice(0, bytes);
                } catch (ClosedByInterruptException e) {
                    interrupted = true;
                    if (tries == TRIES_MAX) {
                        throw failed(bytes, e);
                    }
                } catch (IOException e) {
                    throw failed(bytes, e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private ByteBuffer map(int bytes) throws IOException {
        Path file = Files.createTempFile(directory, "holdfast-pool-", ".tmp");
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.SPARSE)) {
            return channel.map(FileChannel.MapMode.PRIVATE, 0, bytes);
        } finally {
            unlink(file);
        }
    }

    private static void unlink(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException aMappedFileKeepsItsNameHere) {
            // Windows does so. An empty file stays in the temporary directory; a hook that removes
            // it at exit would outlive the engine.
        }
    }

    private OutOfMemoryError failed(int bytes, IOException cause) {
        OutOfMemoryError error =
                new OutOfMemoryError(
                        "pool memory cannot be mapped: bytes="
                                + bytes
                                + ", directory="
                                + directory
                                + ", reason="
                                + cause.getMessage());
        error.initCause(cause);
        return error;
    }

    @Override
    public void close() {
        // Nothing to do: the collector unmaps, there is no supported way to force it.
    }
}
