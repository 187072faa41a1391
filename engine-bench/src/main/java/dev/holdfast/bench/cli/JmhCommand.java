// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.jmh.JmhProfile;
import dev.holdfast.bench.jmh.PointReadBenchmark;
import dev.holdfast.bench.report.TextTable;
import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code jmh}: the micro-benchmarks, each in JVMs of its own. */
@Command(
        name = "jmh",
        description = "Runs the micro-benchmarks with the garbage collector's profiler.")
final class JmhCommand implements Callable<Integer> {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    @Spec private CommandSpec spec;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            defaultValue = "QUICK",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private JmhProfile profile;

    @Option(
            names = "--include",
            paramLabel = "PATTERN",
            description = "Only benchmarks in whose names the pattern is found.")
    private String pattern = PointReadBenchmark.class.getPackageName();

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "That run each benchmark. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(names = "--verbose", description = "Shows what JMH prints on its way.")
    private boolean isVerbose;

    @Override
    public Integer call() throws IOException, RunnerException {
        ChainedOptionsBuilder options =
                profile.options(pattern, threads)
                        .verbosity(isVerbose ? VerboseMode.NORMAL : VerboseMode.SILENT);
        Collection<RunResult> results = new Runner(options.build()).run();
        Figures measured = new Figures();
        TextTable table = new TextTable("benchmark", "per call", "error", "unit", "GB/s", "B/call");
        for (RunResult run : results) {
            take(run, measured, table);
        }
        spec.commandLine().getOut().print(table.toText());
        spec.commandLine().getOut().flush();
        figures.write(measured);
        return results.isEmpty() ? 1 : 0;
    }

    private static void take(RunResult run, Figures measured, TextTable table) {
        Result<?> result = run.getPrimaryResult();
        Result<?> allocated = run.getSecondaryResults().get(ALLOCATED);
        String name = name(run);
        double gigabytes = gigabytesPerSecond(run, result);
        table.line(
                name,
                number("%,.1f", result.getScore()),
                number("%,.1f", result.getScoreError()),
                result.getScoreUnit(),
                Double.isNaN(gigabytes) ? "" : number("%,.2f", gigabytes),
                allocated == null ? "" : number("%,.2f", allocated.getScore()));
        measured.set(name + ".score", result.getScore()).set(name + ".unit", result.getScoreUnit());
        if (Double.isFinite(result.getScoreError())) {
            measured.set(name + ".error", result.getScoreError());
        }
        if (!Double.isNaN(gigabytes)) {
            measured.set(name + ".gigabytesPerSecond", gigabytes);
        }
        if (allocated != null) {
            measured.set(name + ".bytesPerCall", allocated.getScore());
        }
    }

    /** Where a call is about a page, its bytes over the time; else no number. */
    private static double gigabytesPerSecond(RunResult run, Result<?> result) {
        String pageBytes = run.getParams().getParam("pageBytes");
        return pageBytes == null || !result.getScoreUnit().equals("ns/op")
                ? Double.NaN
                : Integer.parseInt(pageBytes) / result.getScore();
    }

    /** The method; where there are sections, its class and the section too, or the parameters. */
    private static String name(RunResult run) {
        String benchmark = run.getParams().getBenchmark();
        int method = benchmark.lastIndexOf('.');
        int type = benchmark.lastIndexOf('.', method - 1);
        String section = run.getParams().getParam("section");
        if (section != null) {
            return benchmark.substring(type + 1) + ' ' + section;
        }
        StringBuilder name = new StringBuilder(benchmark.substring(method + 1));
        for (String parameter : run.getParams().getParamsKeys()) {
            if (!parameter.equals("rows")) {
                name.append(' ').append(run.getParams().getParam(parameter));
            }
        }
        return name.toString();
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
