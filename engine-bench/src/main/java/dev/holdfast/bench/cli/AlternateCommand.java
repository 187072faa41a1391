// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.workload.Alternation;
import dev.holdfast.bench.workload.BuildSide;
import dev.holdfast.bench.workload.EngineSide;
import dev.holdfast.bench.workload.Phase;
import dev.holdfast.bench.workload.Phases;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

/** The command {@code alternate}: one phase under settings, or with builds, in turn. */
@Command(
        name = "alternate",
        description = "Compares settings of the engine, or two builds, by one phase, A B A B.")
final class AlternateCommand implements Callable<Integer> {
    private static final String NAMES = "ABC";

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
            names = {"--rounds", "--pairs"},
            paramLabel = "N",
            defaultValue = "15",
            description = "How often each side runs and counts. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--warmup-rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Rounds before them. Default: ${DEFAULT-VALUE}.")
    private int warmupRounds;

    @Option(names = "--a", paramLabel = "NAME=VALUE", description = "An option of the first side.")
    private Map<String, String> a = new LinkedHashMap<>();

    @Option(names = "--b", paramLabel = "NAME=VALUE", description = "An option of the second.")
    private Map<String, String> b = new LinkedHashMap<>();

    @Option(
            names = "--c",
            paramLabel = "NAME=VALUE",
            description = "An option of a third, which there is only if it has one.")
    private Map<String, String> c = new LinkedHashMap<>();

    @Option(
            names = "--jar-a",
            paramLabel = "FILE",
            description =
                    "The first side's build: holdfast-bench's jar with lib beside it. Every run is"
                            + " a JVM of its own then.")
    private Path jarA;

    @Option(names = "--jar-b", paramLabel = "FILE", description = "The second side's build.")
    private Path jarB;

    private final Figures measured = new Figures();

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        Phase phase = phase();
        List<String> titles = new ArrayList<>();
        List<Alternation.Side> sides = sides(phase, titles);
        Alternation.Result result =
                new Alternation(warmupRounds, rounds).run(sides, this::tellOfRun);
        RunConditions.now().forEach(measured::set);
        measured.set("phase", phase.title())
                .set("options", String.join(" ", settings.arguments()))
                .set("rounds", rounds)
                .set("warmupRounds", warmupRounds)
                .set("spread", result.spread());
        out().printf(Locale.ROOT, "%n%s, spread %.3f%n", phase.title(), result.spread());
        out().print(table(titles, result).toText());
        out().flush();
        figures.write(measured);
        return 0;
    }

    private TextTable table(List<String> titles, Alternation.Result result) {
        TextTable table =
                new TextTable(
                        "side", "what", "units/s", "over A", "low", "high", "not excluded loss");
        for (int side = 0; side < titles.size(); side++) {
            String key = NAMES.substring(side, side + 1);
            PairedRatios ratio = result.overFirst(side);
            table.line(
                    key,
                    titles.get(side),
                    number("%,.0f", result.median(side)),
                    number("%.3f", ratio.median()),
                    number("%.3f", ratio.low()),
                    number("%.3f", ratio.high()),
                    number("%.1f %%", 100 * ratio.worstLoss()));
            measured.set(key, titles.get(side))
                    .set(key + ".unitsPerSecond", result.median(side))
                    .set(key + ".overA", ratio.median())
                    .set(key + ".overA.low", ratio.low())
                    .set(key + ".overA.high", ratio.high())
                    .set(key + ".overA.coverage", ratio.coverage());
        }
        return table;
    }

    private void tellOfRun(int round, int side, double unitsPerSecond) {
        out().printf(
                        Locale.ROOT,
                        "round %d %s %,.0f/s%n",
                        round + 1,
                        NAMES.charAt(side),
                        unitsPerSecond);
        out().flush();
    }

    private List<Alternation.Side> sides(Phase phase, List<String> titles) {
        List<Map<String, String>> options = new ArrayList<>(List.of(a, b));
        if (!c.isEmpty()) {
            options.add(c);
        }
        List<Alternation.Side> sides = new ArrayList<>();
        if (jarA == null && jarB == null) {
            for (Map<String, String> each : options) {
                sides.add(
                        new EngineSide(
                                settings.options(),
                                settings.engine(each),
                                phase,
                                AlternateCommand::lend));
                titles.add(each.toString());
            }
            return sides;
        }
        if (jarA == null || jarB == null || !c.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "Two builds are compared: --jar-a and --jar-b");
        }
        settings.options(); // refuses here what the children would refuse
        sides.add(build(jarA, a, phase));
        sides.add(build(jarB, b, phase));
        titles.add(jarA + " " + a);
        titles.add(jarB + " " + b);
        return sides;
    }

    private BuildSide build(Path jar, Map<String, String> options, Phase phase) {
        List<String> arguments = new ArrayList<>(settings.arguments());
        options.forEach((key, value) -> arguments.add("--option=" + key + "=" + value));
        try {
            return new BuildSide(jar, phase, arguments, AlternateCommand::lend);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Phase phase() {
        if (rounds < 1 || warmupRounds < 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: rounds=" + rounds + ", warmup-rounds=" + warmupRounds);
        }
        try {
            return Phases.parse(name);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static double lend(EngineSide.Use use)
            throws IOException, InterruptedException, ExecutionException {
        try (TemporaryDirectory directory = TemporaryDirectory.create()) {
            double rate = use.in(directory.path());
            directory.removeAtEnd();
            return rate;
        }
    }

    private static String number(String format, Object value) {
        return String.format(Locale.ROOT, format, value);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
