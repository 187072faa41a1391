// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.workload.Alternation;
import dev.holdfast.bench.workload.Phase;
import dev.holdfast.bench.workload.Phases;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code alternate}: one phase under two settings in turn. */
@Command(
        name = "alternate",
        description = "Compares two settings of the engine by one phase, run in turn A B A B.")
final class AlternateCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private WorkloadSettings settings;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--phase",
            required = true,
            paramLabel = "NAME[@THREADS]",
            description = "What is measured.")
    private String name;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often each setting runs. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--a", paramLabel = "NAME=VALUE", description = "An option of the first side.")
    private Map<String, String> a = new LinkedHashMap<>();

    @Option(names = "--b", paramLabel = "NAME=VALUE", description = "An option of the second.")
    private Map<String, String> b = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        Phase phase = phase();
        Alternation alternation =
                new Alternation(settings.options(), settings.engine(a), settings.engine(b));
        Alternation.Result result = alternation.run(phase, rounds, AlternateCommand::lend);
        out().printf(
                        Locale.ROOT,
                        "%s: A %s %,.0f/s, B %s %,.0f/s, B over A %.3f, spread %.3f, rounds %d%n",
                        phase.title(),
                        a,
                        result.medianOfA(),
                        b,
                        result.medianOfB(),
                        result.medianRatio(),
                        result.spread(),
                        rounds);
        out().flush();
        figures.write(
                new Figures()
                        .set("phase", phase.title())
                        .set("a", a.toString())
                        .set("b", b.toString())
                        .set("aPerSecond", result.medianOfA())
                        .set("bPerSecond", result.medianOfB())
                        .set("ratio", result.medianRatio())
                        .set("spread", result.spread())
                        .set("rounds", rounds));
        return 0;
    }

    private Phase phase() {
        if (rounds < 1) {
            throw new ParameterException(spec.commandLine(), "Out of range: rounds=" + rounds);
        }
        try {
            return Phases.parse(name);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static void lend(Alternation.Use use)
            throws IOException, InterruptedException, ExecutionException {
        try (TemporaryDirectory directory = TemporaryDirectory.create()) {
            use.in(directory.path());
            directory.removeAtEnd();
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
