// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A phase with the engine of some build, in a JVM of its own for each life.
 *
 * <p>A build is known by its jar of this module, with what it needs in {@code lib} beside it. Only
 * the latter is used: what measures is this build's, so that both sides are measured in the same
 * way and an older build need not know of the turns. It must have what the phases call.
 */
public final class BuildSide implements LiveSide {
    private static final long END_SECONDS = 60;

    private final List<String> command;
    private final Directories directories;
    private Path directory;
    private Process child;
    private TurnLines.Remote remote;

    /**
     * Compares a build.
     *
     * @param jar the build's jar of this module
     * @param bench where this build's classes of this module are, and no others
     * @param mainClass what calls {@link TurnLines#serve}
     * @param arguments for it; the directory follows as {@code --directory}
     * @throws IllegalArgumentException if there is no such jar, or no {@code lib} beside it
     */
    public BuildSide(
            Path jar,
            Path bench,
            String mainClass,
            List<String> arguments,
            Directories directories) {
        Path lib = jar.toAbsolutePath().resolveSibling("lib");
        if (!Files.isRegularFile(jar) || !Files.isDirectory(lib)) {
            throw new IllegalArgumentException("no jar with lib beside it: jar=" + jar);
        }
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.add("-cp");
        words.add(bench + File.pathSeparator + lib.resolve("*"));
        words.add(mainClass);
        words.addAll(arguments);
        command = List.copyOf(words);
        this.directories = directories;
    }

    @Override
    public void begin() throws IOException {
        directory = directories.make();
        List<String> words = new ArrayList<>(command);
        words.add("--directory=" + directory);
        child = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        remote =
                new TurnLines.Remote(
                        new BufferedReader(
                                new InputStreamReader(
                                        child.getInputStream(), StandardCharsets.US_ASCII)),
                        new OutputStreamWriter(child.getOutputStream(), StandardCharsets.US_ASCII));
        remote.begin();
    }

    @Override
    public Turn turn() throws IOException {
        return remote.turn();
    }

    @Override
    public void settle() throws IOException {
        remote.settle();
    }

    @Override
    public void end() throws IOException, InterruptedException {
        if (child != null) {
            try {
                remote.end();
                if (!child.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                    throw new IllegalStateException(
                            "child does not end: command=" + command + ", pid=" + child.pid());
                }
            } finally {
                child.destroyForcibly().waitFor();
                child = null;
            }
        }
        if (directory != null) {
            directories.remove(directory);
            directory = null;
        }
    }
}
