// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.workload.Phase;
import dev.holdfast.bench.workload.Phases;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** What is done in a turn, as a picocli mixin: of the command and of a child that it starts. */
final class TurnSettings {
    private static final double NANOS_A_SECOND = 1e9;

    /** The share of a turn that is not measured: until the others' rows are out of the caches. */
    private static final double WARMUP_SHARE = 0.1;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Mixin private WorkloadSettings settings;

    @Option(
            names = "--phase",
            required = true,
            paramLabel = "NAME[@THREADS]",
            description = "What is measured.")
    private String name;

    @Option(
            names = "--turn-seconds",
            paramLabel = "S",
            defaultValue = "1",
            description = "How long a side works at a time. Default: ${DEFAULT-VALUE}.")
    private double turnSeconds;

    Phase phase() {
        try {
            return Phases.parse(name);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    double turnSeconds() {
        return turnSeconds;
    }

    /** Returns the options of a side, some of the engine's set by the command itself. */
    WorkloadOptions options(Map<String, String> more) {
        if (!(turnSeconds > 0)) {
            throw new ParameterException(
                    spec.commandLine(), "Out of range: turn-seconds=" + turnSeconds);
        }
        long nanos = (long) (turnSeconds * NANOS_A_SECOND);
        return settings.options((long) (nanos * WARMUP_SHARE), nanos, more);
    }

    /** Returns them as the options of a command line. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>(settings.arguments());
        arguments.add("--phase=" + name);
        arguments.add("--turn-seconds=" + turnSeconds);
        return arguments;
    }
}
