// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.stats.FileStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The statistics against what the operating system says this process did: were they wrong, every
 * figure of the engine's IO would be.
 */
@ExtendWith(SeedExtension.class)
final class ProcessTotalsIT {
    /*
     * Only DIRECT files are compared: their requests go to the device as they are, while the page
     * cache would spare some reads and write others later, in the name of another process. What the
     * JVM itself does meanwhile (classes, its logs) is in the system's totals too, hence the slack,
     * which is small against what is moved here.
     */
    private static final Path TOTALS = Path.of("/proc/self/io");
    private static final int PAGE_BYTES = 16 << 10;
    private static final int FILES = 3;
    private static final int PAGES_PER_FILE = 256;
    private static final int REQUESTS = 1500;
    private static final long SLACK_BYTES = 2 << 20;

    @Test
    void givenDirectFiles_whenReadAndWritten_thenTheSumsAreThoseOfTheSystem(
            @TempDir Path temporary, SeededRandom random) throws IOException {
        assumeTrue(Files.isReadable(TOTALS), "the system tells no totals");
        List<StorageFile> files = new ArrayList<>();
        try (StorageDirectory directory = FileSystemDirectory.open(temporary, FileMode.DIRECT)) {
            createFiles(directory, files);
            long writesBefore = total("write_bytes");
            long readsBefore = total("read_bytes");
            long bytesWritten = sum(files, true);
            long bytesRead = sum(files, false);

            work(files, random);

            long systemWrites = total("write_bytes") - writesBefore;
            long systemReads = total("read_bytes") - readsBefore;
            assumeTrue(systemWrites > 0, "this file system's bytes are not in the totals");
            assertThat(systemWrites - (sum(files, true) - bytesWritten)).isBetween(0L, SLACK_BYTES);
            assertThat(systemReads - (sum(files, false) - bytesRead)).isBetween(0L, SLACK_BYTES);
            assertThat(sum(files, true) - bytesWritten).isGreaterThan(5 * SLACK_BYTES);
            assertThat(sum(files, false) - bytesRead).isGreaterThan(5 * SLACK_BYTES);
        } finally {
            for (StorageFile file : files) {
                file.close();
            }
        }
    }

    private static void createFiles(StorageDirectory directory, List<StorageFile> files)
            throws IOException {
        for (int i = 0; i < FILES; i++) {
            StorageFile file = create(directory, "space-" + i + ".hfs");
            files.add(file);
            file.zeroFill(0, (long) PAGES_PER_FILE * PAGE_BYTES);
            file.sync(false);
        }
    }

    private static StorageFile create(StorageDirectory directory, String name) {
        try {
            return directory.create(name);
        } catch (IOException e) {
            assumeTrue(false, "no direct files here: " + e.getMessage());
            throw new AssertionError("not reached", e);
        }
    }

    private static void work(List<StorageFile> files, SeededRandom random) throws IOException {
        ByteBuffer page = ByteBuffer.allocateDirect(3 * PAGE_BYTES).alignedSlice(PAGE_BYTES);
        for (int i = 0; i < REQUESTS; i++) {
            StorageFile file = random.pick(files);
            int pages = random.between(1, 2);
            page.clear().limit(pages * PAGE_BYTES);
            long position = (long) random.nextInt(PAGES_PER_FILE - 1) * PAGE_BYTES;
            if (random.nextBoolean()) {
                file.write(position, page);
            } else {
                file.read(position, page);
            }
        }
        for (StorageFile file : files) {
            file.sync(true);
        }
    }

    private static long sum(List<StorageFile> files, boolean ofWrites) {
        long sum = 0;
        for (StorageFile file : files) {
            FileStatistics statistics = file.statistics();
            sum += ofWrites ? statistics.writeBytes() : statistics.readBytes();
        }
        return sum;
    }

    private static long total(String name) throws IOException {
        for (String line : Files.readAllLines(TOTALS)) {
            if (line.startsWith(name + ": ")) {
                return Long.parseLong(line.substring(name.length() + 2));
            }
        }
        throw new IOException("no such total: name=" + name);
    }
}
