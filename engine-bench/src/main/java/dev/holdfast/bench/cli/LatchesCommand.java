// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.latch.Entrant;
import dev.holdfast.bench.latch.LatchLoad;
import dev.holdfast.bench.latch.LatchResults;
import dev.holdfast.bench.latch.LatchResults.Scenario;
import dev.holdfast.bench.latch.LatchSection;
import dev.holdfast.bench.latch.TimingResults;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code latches}: our latches and the JDK's in turn, with intervals of the ratios. */
@Command(
        name = "latches",
        description =
                "Compares the latches with the JDK's locks, in turn A B C A B C, one JVM a load.")
final class LatchesCommand implements Callable<Integer> {
    private static final int TIMED_THREADS = 2;
    private static final int THREADS_MAX = 1_000;

    @Spec private CommandSpec spec;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            description = "Rounds that count. Default: 15, quick 7.")
    private Integer pairs;

    @Option(
            names = "--warmup-rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Rounds before them. Default: ${DEFAULT-VALUE}.")
    private int warmupRounds;

    @Option(
            names = "--threads",
            split = ",",
            paramLabel = "N",
            description = "How many run. Default: 1,2,4,8,64, quick 1,2,8.")
    private List<Integer> threads;

    @Option(
            names = "--millis",
            paramLabel = "N",
            description = "Of each turn. Default: 250, quick 100.")
    private Long millis;

    @Option(
            names = "--loads",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "READ_ONLY,MIXED,WRITE_ONLY",
            description = "${COMPLETION-CANDIDATES}. Default: all.")
    private List<LatchLoad> loads;

    @Option(
            names = "--sections",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "SHORT,MICRO",
            description = "${COMPLETION-CANDIDATES}. Default: both.")
    private List<LatchSection> sections;

    @Option(names = "--quick", description = "Minutes less, with wider intervals.")
    private boolean isQuick;

    @Override
    public Integer call() throws IOException, InterruptedException {
        takeDefaults();
        out().printf(Locale.ROOT, "about %.1f minutes%n", expectedMinutes());
        LatchResults results = new LatchResults();
        for (LatchSection section : sections) {
            for (LatchLoad load : loads) {
                List<String> arguments = arguments(section, threads);
                arguments.add("--load=" + load);
                child(
                        arguments,
                        (words) ->
                                results.add(
                                        new Scenario(load, section, Integer.parseInt(words[0])),
                                        Entrant.valueOf(words[1]),
                                        Double.parseDouble(words[2])));
                say("measured " + load.title() + ' ' + section.title());
            }
        }
        TimingResults timing = new TimingResults(TIMED_THREADS);
        for (LatchSection section : sections) {
            child(
                    arguments(section, List.of(TIMED_THREADS)),
                    (words) ->
                            timing.add(
                                    section,
                                    words[1],
                                    Double.parseDouble(words[2]),
                                    Double.parseDouble(words[3]),
                                    Double.parseDouble(words[4])));
            say("measured timing of waits " + section.title());
        }
        Figures measured = new Figures();
        LatchesReport report = new LatchesReport(measured);
        String settings =
                String.format(
                        Locale.ROOT,
                        "pairs=%d warmupRounds=%d threads=%s millis=%d",
                        pairs,
                        warmupRounds,
                        threads,
                        millis);
        out().print(report.text(settings, results, timing));
        out().flush();
        figures.write(measured);
        return 0;
    }

    private void takeDefaults() {
        pairs = pairs != null ? pairs : isQuick ? 7 : 15;
        millis = millis != null ? millis : isQuick ? 100 : 250;
        threads = threads != null ? threads : isQuick ? List.of(1, 2, 8) : List.of(1, 2, 4, 8, 64);
        boolean isInRange = pairs >= 1 && millis >= 1 && warmupRounds >= 0;
        for (int count : threads) {
            isInRange &= count >= 1 && count <= THREADS_MAX;
        }
        if (!isInRange) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: pairs="
                            + pairs
                            + ", warmup-rounds="
                            + warmupRounds
                            + ", threads="
                            + threads
                            + ", millis="
                            + millis);
        }
    }

    private double expectedMinutes() {
        long turns = 0;
        for (LatchSection section : sections) {
            for (LatchLoad load : loads) {
                turns += (long) Entrant.of(load, section).size() * threads.size();
            }
            turns += 6;
        }
        return turns * (pairs + warmupRounds) * millis * 1.0 / TimeUnit.MINUTES.toMillis(1);
    }

    private List<String> arguments(LatchSection section, List<Integer> threadCounts) {
        List<String> arguments = new ArrayList<>(ChildLife.command(LatchesRunCommand.NAME));
        arguments.add("--section=" + section);
        arguments.add("--pairs=" + pairs);
        arguments.add("--warmup-rounds=" + warmupRounds);
        arguments.add("--millis=" + millis);
        List<String> counts = new ArrayList<>();
        for (int count : threadCounts) {
            counts.add(Integer.toString(count));
        }
        arguments.add("--threads=" + String.join(",", counts));
        return arguments;
    }

    private static void child(List<String> command, Lines lines)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader pipe =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = pipe.readLine();
            while (line != null) {
                lines.take(line.split(" ", -1));
                line = pipe.readLine();
            }
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new IllegalStateException(
                        "child failed: exitCode=" + exitCode + ", command=" + command);
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private void say(String line) {
        out().println(line);
        out().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Takes the words of each line that a child says. */
    private interface Lines {
        void take(String[] words);
    }
}
