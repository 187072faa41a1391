// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.workload.CrashedUpdates;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code workload-crash}: the JVM that the recovery phase kills. */
@Command(
        name = WorkloadCrashCommand.NAME,
        hidden = true,
        description = "Loads and updates for the recovery phase, which starts it and kills it.")
final class WorkloadCrashCommand implements Callable<Integer> {
    static final String NAME = "workload-crash";

    @Mixin private WorkloadSettings settings;

    @Option(
            names = "--directory",
            required = true,
            paramLabel = "DIR",
            description = "Where the store is.")
    private Path directory;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        ChildLife.endWithParent();
        try (OutputStream pipe = new FileOutputStream(FileDescriptor.out)) {
            WorkloadOptions untimed = settings.options(0, 0, Map.of());
            new CrashedUpdates(directory, untimed).runUntilKilled(pipe);
        }
        return 0;
    }
}
