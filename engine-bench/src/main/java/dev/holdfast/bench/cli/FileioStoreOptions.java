// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.EngineOptions;
import dev.holdfast.bench.fileio.FileioOptions;
import dev.holdfast.bench.workload.EngineSettings;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The store beside the bare device, as a picocli mixin. */
final class FileioStoreOptions {
    private static final long REDO_CAPACITY_BYTES = 256L << 20;
    private static final long POOL_BYTES_MIN = 4L << 20;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "400000",
            description = "Rows of the engine's table. Default: ${DEFAULT-VALUE}.")
    private long rows;

    @Option(
            names = {"-O", "--option"},
            paramLabel = "NAME=VALUE",
            description = "An option of the engine by its name, such as -O ioCapacity=4000.")
    private Map<String, String> given = new LinkedHashMap<>();

    /**
     * Returns options for a store on the same device.
     *
     * @param turnNanos of a phase, which has no warm-up
     * @param poolBytes as much as is wanted, unless the command line says otherwise
     * @param more options of the engine that the command sets itself
     */
    WorkloadOptions options(
            FileioOptions device, long turnNanos, long poolBytes, Map<String, String> more) {
        if (rows < 1) {
            throw new ParameterException(spec.commandLine(), "Out of range: rows=" + rows);
        }
        Map<String, String> all = new LinkedHashMap<>();
        all.put("fileMode", device.mode().name());
        all.put("pageBytes", Integer.toString(device.pageBytes()));
        all.put("poolBytes", Long.toString(Math.max(POOL_BYTES_MIN, poolBytes)));
        all.putAll(given);
        all.putAll(more);
        try {
            EngineOptions engine =
                    EngineSettings.with(
                            EngineOptions.builder().redoCapacityBytes(REDO_CAPACITY_BYTES).build(),
                            all);
            return new WorkloadOptions(rows, 0, turnNanos, device.seed(), engine);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    long rows() {
        return rows;
    }
}
