// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.EngineOptions;
import dev.holdfast.bench.workload.EngineSettings;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of all commands that run workloads, as a picocli mixin. */
final class WorkloadSettings {
    /*
     * What the peers were measured with: a cache that holds all, and a log that is not the limit.
     */

    private static final long POOL_BYTES = 512L << 20;
    private static final long REDO_CAPACITY_BYTES = 512L << 20;

    /** Short, since a deadlock ends by it: what is measured is the work, not the wait. */
    private static final Duration LOCK_WAIT_TIMEOUT = Duration.ofMillis(50);

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Rows of the table. Default: ${DEFAULT-VALUE}.")
    private long rows;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides keys and values. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = {"-O", "--option"},
            paramLabel = "NAME=VALUE",
            description = "An option of the engine by its name, such as -O pageBytes=4096.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** Returns them with the times of a phase, and some options that the command sets itself. */
    WorkloadOptions options(long warmupNanos, long measureNanos, Map<String, String> more) {
        if (rows < 1) {
            throw new ParameterException(spec.commandLine(), "Out of range: rows=" + rows);
        }
        return new WorkloadOptions(rows, warmupNanos, measureNanos, seed, engine(more));
    }

    private EngineOptions engine(Map<String, String> more) {
        EngineOptions base =
                EngineOptions.builder()
                        .poolBytes(POOL_BYTES)
                        .redoCapacityBytes(REDO_CAPACITY_BYTES)
                        .lockWaitTimeout(LOCK_WAIT_TIMEOUT)
                        .build();
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putAll(more);
        try {
            return EngineSettings.with(base, all);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Returns them as the options of a command line. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add("--rows=" + rows);
        arguments.add("--seed=" + seed);
        settings.forEach((name, value) -> arguments.add("--option=" + name + "=" + value));
        return arguments;
    }
}
