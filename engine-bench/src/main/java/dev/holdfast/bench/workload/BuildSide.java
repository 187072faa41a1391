// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A phase with some build of everything, each time in a JVM of its own.
 *
 * <p>The build is known by its jar of this module, with what it needs in {@code lib} beside it. It
 * is asked for the command {@code workload} and the figures that this writes, which every build
 * has, so that an older one can be compared with a newer.
 */
public final class BuildSide implements Alternation.Side {
    private static final String MAIN = "dev.holdfast.bench.cli.HoldfastCommand";

    private final Path jar;
    private final Phase phase;
    private final List<String> arguments;
    private final EngineSide.Directories directories;

    /**
     * Compares a build.
     *
     * @param jar the build's jar of this module
     * @param arguments options of the command {@code workload}
     * @param directories for what the child says and measures
     * @throws IllegalArgumentException if there is no such jar, or no {@code lib} beside it
     */
    public BuildSide(
            Path jar, Phase phase, List<String> arguments, EngineSide.Directories directories) {
        if (!Files.isRegularFile(jar) || !Files.isDirectory(lib(jar))) {
            throw new IllegalArgumentException("no jar with lib beside it: jar=" + jar);
        }
        this.jar = jar;
        this.phase = phase;
        this.arguments = List.copyOf(arguments);
        this.directories = directories;
    }

    @Override
    public double unitsPerSecond() throws IOException, InterruptedException, ExecutionException {
        return directories.lend(this::measure);
    }

    private double measure(Path directory) throws IOException, InterruptedException {
        Path figures = directory.resolve("figures.json");
        Path said = directory.resolve("said.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(jar + File.pathSeparator + lib(jar).resolve("*"));
        command.add(MAIN);
        command.add("workload");
        command.add("--phases=" + phase.title());
        command.add("--json=" + figures);
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        try {
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new IllegalStateException(
                        "build failed: jar="
                                + jar
                                + ", exitCode="
                                + exitCode
                                + ", said="
                                + Files.readString(said));
            }
        } finally {
            process.destroyForcibly();
        }
        return rate(Files.readString(figures), phase.title());
    }

    /** Finds the phase's rate in the figures that a workload has written. */
    static double rate(String figures, String title) {
        Pattern pattern =
                Pattern.compile(
                        '"' + Pattern.quote(title + ".unitsPerSecond") + "\":\\s*([0-9.Ee+-]+)");
        Matcher matcher = pattern.matcher(figures);
        if (!matcher.find()) {
            throw new IllegalStateException(
                    "no such figure: phase=" + title + ", figures=" + figures);
        }
        return Double.parseDouble(matcher.group(1));
    }

    private static Path lib(Path jar) {
        return jar.toAbsolutePath().resolveSibling("lib");
    }
}
