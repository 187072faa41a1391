// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.Engine;
import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.workload.Alternation;
import dev.holdfast.bench.workload.BuildSide;
import dev.holdfast.bench.workload.EngineSide;
import dev.holdfast.bench.workload.LiveSide;
import dev.holdfast.bench.workload.Phase;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
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

/** The command {@code alternate}: one phase under settings, or with builds, in short turns. */
@Command(
        name = "alternate",
        description = {
            "Compares settings of the engine, or two builds, by one phase in short turns, A B B A.",
            "Each side has its store open and loaded all the time of a life, and is idle while the"
                    + " others work."
        })
final class AlternateCommand implements Callable<Integer> {
    private static final String NAMES = "ABC";

    /** One JVM has them all, warm from the first life on: only the stores are new. */
    private static final int WARMUP_ROUNDS_OF_STORES = 2;

    /** An interval that is worth less says so. */
    private static final double WANTED_COVERAGE = 0.95;

    @Spec private CommandSpec spec;
    @Mixin private TurnSettings settings;
    @Mixin private FiguresOption figures;

    @Option(
            names = {"--rounds", "--pairs"},
            paramLabel = "N",
            defaultValue = "60",
            description = "How many turns of each side count. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--lives",
            paramLabel = "N",
            defaultValue = "6",
            description =
                    "How often the sides are begun anew, with new stores and builds in new JVMs;"
                            + " the rounds are divided among the lives. Default: ${DEFAULT-VALUE}.")
    private int lives;

    @Option(
            names = "--warmup-rounds",
            paramLabel = "N",
            defaultValue = "12",
            description =
                    "Rounds that do not count, at the beginning of each JVM. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int warmupRounds;

    @Option(
            names = "--others-max",
            paramLabel = "SHARE",
            defaultValue = "0.1",
            description =
                    "A round in which other processes had more of the machine is run again, up to"
                            + " as many as count. Default: ${DEFAULT-VALUE}.")
    private double othersMax;

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
                    "The first side's build: holdfast-bench's jar with lib beside it. Its engine is"
                            + " measured by the classes of this build, in a JVM of its own.")
    private Path jarA;

    @Option(names = "--jar-b", paramLabel = "FILE", description = "The second side's build.")
    private Path jarB;

    private final Figures measured = new Figures();

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        if (lives < 1 || rounds < lives || warmupRounds < 0) {
            throw wrong(
                    "Out of range: rounds="
                            + rounds
                            + ", lives="
                            + lives
                            + ", warmup-rounds="
                            + warmupRounds);
        }
        Phase phase = settings.phase();
        List<String> titles = new ArrayList<>();
        List<LiveSide> sides = sides(phase, titles, TemporaryDirectory.lender());
        int later = jarA == null ? Math.min(warmupRounds, WARMUP_ROUNDS_OF_STORES) : warmupRounds;
        Alternation.Result result =
                new Alternation(lives, warmupRounds, later, rounds, othersMax)
                        .run(sides, this::tellOfRound);
        RunConditions.now().forEach(measured::set);
        measured.set("phase", phase.title())
                .set("options", String.join(" ", settings.arguments()))
                .set("rounds", rounds)
                .set("lives", lives)
                .set("warmupRounds", warmupRounds)
                .set("disturbedRounds", result.disturbedRounds())
                .set("spread", result.spread());
        out().printf(
                        Locale.ROOT,
                        "%n%s, %d rounds of %s s in %d lives, %d more disturbed, spread %.3f%n",
                        phase.title(),
                        rounds,
                        settings.turnSeconds(),
                        lives,
                        result.disturbedRounds(),
                        result.spread());
        out().print(table(titles, result).toText());
        out().flush();
        figures.write(measured);
        return 0;
    }

    private TextTable table(List<String> titles, Alternation.Result result) {
        TextTable table =
                new TextTable(
                        "side",
                        "what",
                        "units/s",
                        "over A",
                        "by rounds",
                        "by lives",
                        "not excluded loss");
        for (int side = 0; side < titles.size(); side++) {
            String key = NAMES.substring(side, side + 1);
            PairedRatios byRounds = result.overFirst(side);
            PairedRatios byLives = result.overFirstByLife(side);
            table.line(
                    key,
                    titles.get(side),
                    number("%,.0f", result.median(side)),
                    number("%.4f", byRounds.median()),
                    interval(byRounds),
                    interval(byLives),
                    number("%.1f %%", 100 * result.worstLoss(side)));
            measured.set(key, titles.get(side))
                    .set(key + ".unitsPerSecond", result.median(side))
                    .set(key + ".overA", byRounds.median());
            setInterval(key + ".overA", byRounds);
            setInterval(key + ".overA.byLives", byLives);
        }
        return table;
    }

    private void setInterval(String key, PairedRatios ratios) {
        measured.set(key + ".low", ratios.low())
                .set(key + ".high", ratios.high())
                .set(key + ".coverage", ratios.coverage());
    }

    private void tellOfRound(
            int life, int round, List<LiveSide.Turn> turns, Alternation.Outcome outcome) {
        StringBuilder line =
                new StringBuilder(
                        String.format(Locale.ROOT, "life %d round %d", life + 1, round + 1));
        for (int side = 0; side < turns.size(); side++) {
            line.append(' ')
                    .append(NAMES.charAt(side))
                    .append(number(" %,.0f/s", turns.get(side).unitsPerSecond()));
        }
        if (outcome != Alternation.Outcome.COUNTS) {
            line.append(", ").append(outcome.name().toLowerCase(Locale.ROOT));
        }
        out().println(line);
        out().flush();
    }

    private List<LiveSide> sides(
            Phase phase, List<String> titles, LiveSide.Directories directories) {
        List<Map<String, String>> options = new ArrayList<>(List.of(a, b));
        if (!c.isEmpty()) {
            options.add(c);
        }
        List<LiveSide> sides = new ArrayList<>();
        if (jarA == null && jarB == null) {
            EngineSide first = new EngineSide(settings.options(options.get(0)), phase, directories);
            for (Map<String, String> each : options) {
                WorkloadOptions ofSide = settings.options(each);
                if (sides.isEmpty()) {
                    sides.add(first);
                } else if (first.sharesStoreWith(ofSide)) {
                    sides.add(first.beside(ofSide));
                } else {
                    sides.add(new EngineSide(ofSide, phase, directories));
                }
                titles.add(each.toString());
            }
            return sides;
        }
        if (jarA == null || jarB == null || !c.isEmpty()) {
            throw wrong("Two builds are compared: --jar-a and --jar-b");
        }
        sides.add(build(jarA, a, directories));
        sides.add(build(jarB, b, directories));
        titles.add(jarA + " " + a);
        titles.add(jarB + " " + b);
        return sides;
    }

    private BuildSide build(
            Path jar, Map<String, String> options, LiveSide.Directories directories) {
        settings.options(options); // refuses here what the child would refuse
        List<String> arguments = new ArrayList<>(settings.arguments());
        options.forEach((key, value) -> arguments.add("--option=" + key + "=" + value));
        Path bench = location(AlternateCommand.class);
        try {
            BuildSide side =
                    new BuildSide(jar, bench, TurnsCommand.class.getName(), arguments, directories);
            if (bench.equals(location(Engine.class))) {
                throw wrong("The engine's classes cannot be left out of this build's: " + bench);
            }
            return side;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Returns the jar or directory that a class was loaded from. */
    private static Path location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("class without a place: class=" + type.getName(), e);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static String interval(PairedRatios ratios) {
        String text = String.format(Locale.ROOT, "%.4f-%.4f", ratios.low(), ratios.high());
        return ratios.coverage() >= WANTED_COVERAGE
                ? text
                : text + number(" (%.0f %%)", 100 * ratios.coverage());
    }

    private static String number(String format, Object value) {
        return String.format(Locale.ROOT, format, value);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
