// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process with a small heap verifies a store of many pages. If this failed, the verifier would
 * need memory in proportion to the store, and a large one could not be verified where it is used.
 */
final class VerifierMemoryIT {
    /** Of 64 pages of 4 KiB each, so that a page's object can be told from noise. */
    private static final int VALUES = 800;

    private static final int PAGES_MIN = 50_000;

    /**
     * What the heap may hold more: far more than a bit a page and a page a tree level, and far less
     * than the least that could be kept of each page, a long in a set.
     */
    private static final long HELD_MAX = 512 << 10;

    @TempDir Path temporary;

    @Test
    void givenAStoreOfManyPages_whenVerifiedInASmallHeap_thenNothingIsKeptOfEachPage()
            throws Exception {
        Path errors = temporary.resolve("errors");
        Process child = start(errors);

        String line;
        try (BufferedReader pipe =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
            line = pipe.readLine();
        } finally {
            child.toHandle().destroyForcibly();
        }

        assertThat(line).as("child's errors: %s", Files.readString(errors)).isNotNull();
        int space = line.indexOf(' ');
        long pages = Long.parseLong(line.substring(0, space));
        long held = Long.parseLong(line.substring(space + 1));
        assertThat(pages).isGreaterThan(PAGES_MIN);
        assertThat(held).as("bytes held for %s pages", pages).isLessThan(HELD_MAX);
    }

    private Process start(Path errors) throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        VerifyChild.class.getName(),
                        temporary.resolve("store").toString(),
                        Integer.toString(VALUES));
        return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    }
}
