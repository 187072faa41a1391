// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.workload.EngineSide;
import dev.holdfast.bench.workload.TurnLines;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The JVM of a build that {@code alternate} compares. A main class of its own and no sub-command,
 * since with an older engine not every command's class can be loaded.
 */
@Command(name = "turns", description = "A side of an alternation; alternate starts it.")
final class TurnsCommand implements Callable<Integer> {
    @Mixin private TurnSettings settings;

    @Option(
            names = "--directory",
            required = true,
            paramLabel = "DIR",
            description = "Where the store is.")
    private Path directory;

    private TurnsCommand() {}

    /** Entry of the child. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new TurnsCommand()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        EngineSide side =
                new EngineSide(
                        settings.options(Map.of()),
                        settings.phase(),
                        TemporaryDirectory.lenderBelow(directory));
        try (BufferedReader in =
                        new BufferedReader(
                                new InputStreamReader(
                                        new FileInputStream(FileDescriptor.in),
                                        StandardCharsets.US_ASCII));
                Writer out =
                        new OutputStreamWriter(
                                new FileOutputStream(FileDescriptor.out),
                                StandardCharsets.US_ASCII)) {
            TurnLines.serve(side, in, out);
        }
        return 0;
    }
}
