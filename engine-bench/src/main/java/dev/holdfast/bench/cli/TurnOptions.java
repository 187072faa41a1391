// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.fileio.PairedTurns;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How long two sides are compared, as a picocli mixin. */
final class TurnOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            defaultValue = "15",
            description = "Turns of each side that count. Default: ${DEFAULT-VALUE}.")
    private int pairs;

    @Option(
            names = "--warmup-pairs",
            paramLabel = "N",
            defaultValue = "2",
            description = "Pairs before them. Default: ${DEFAULT-VALUE}.")
    private int warmupPairs;

    @Option(
            names = "--turn-millis",
            paramLabel = "N",
            defaultValue = "500",
            description = "Of a turn. Default: ${DEFAULT-VALUE}.")
    private long turnMillis;

    PairedTurns turns() {
        if (turnMillis < 1) {
            throw new ParameterException(
                    spec.commandLine(), "Out of range: turn-millis=" + turnMillis);
        }
        try {
            return new PairedTurns(warmupPairs, pairs);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    long turnNanos() {
        return TimeUnit.MILLISECONDS.toNanos(turnMillis);
    }
}
