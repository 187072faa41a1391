// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.ChecksumKind;
import dev.holdfast.bench.checksum.ChecksumShare;
import dev.holdfast.bench.checksum.ChecksumShare.Share;
import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code checksums}: their share of processor time while rows are inserted. */
@Command(
        name = "checksums",
        description = {
            "Inserts rows in random order with each kind of checksum in turn, a new store each"
                    + " time, and says what share of the processor time their sums took:",
            "of all of the process, from pages summed and the cost of one; by the rows a second of"
                + " processor time brings with no checksum; and of the flight recorder's samples of"
                + " Java code."
        })
final class ChecksumsCommand implements Callable<Integer> {
    /** What a row of the load occupies in half-filled and full pages together. */
    private static final long ROW_BYTES = 180;

    private static final long POOL_BYTES_MIN = 4L << 20;

    @Spec private CommandSpec spec;
    @Mixin private WorkloadSettings settings;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--kinds",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "LEGACY,WORD,CRC32C,NONE",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private List<ChecksumKind> kinds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often each kind runs and counts. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--warmup-rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "Rounds before them. Default: ${DEFAULT-VALUE}.")
    private int warmupRounds;

    @Option(
            names = "--pool-percent",
            paramLabel = "N",
            defaultValue = "10",
            description = "The pool as a part of the data. Default: ${DEFAULT-VALUE}.")
    private double poolPercent;

    private final Map<ChecksumKind, List<Share>> shares = new EnumMap<>(ChecksumKind.class);
    private final Figures measured = new Figures();

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        if (rounds < 1 || warmupRounds < 0 || !(poolPercent > 0)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: rounds="
                            + rounds
                            + ", warmup-rounds="
                            + warmupRounds
                            + ", pool-percent="
                            + poolPercent);
        }
        WorkloadOptions options = settings.options(0, 0, Map.of()); // a load has no times
        ChecksumShare workload = new ChecksumShare();
        for (int round = -warmupRounds; round < rounds; round++) {
            for (ChecksumKind kind : kinds) {
                Share share = run(workload, options, kind);
                if (round >= 0) {
                    shares.computeIfAbsent(kind, (unused) -> new ArrayList<>()).add(share);
                }
            }
        }
        RunConditions.now().forEach(measured::set);
        measured.set("options", String.join(" ", settings.arguments()))
                .set("rounds", rounds)
                .set("poolPercent", poolPercent);
        report();
        figures.write(measured);
        return 0;
    }

    private Share run(ChecksumShare workload, WorkloadOptions options, ChecksumKind kind)
            throws IOException, InterruptedException, ExecutionException {
        long poolBytes = (long) (options.rows() * ROW_BYTES * poolPercent / 100);
        Map<String, String> own =
                Map.of(
                        "checksum",
                        kind.name(),
                        "poolBytes",
                        Long.toString(Math.max(POOL_BYTES_MIN, poolBytes)));
        WorkloadOptions run = settings.options(0, 0, own);
        try (TemporaryDirectory directory = TemporaryDirectory.create()) {
            Share share = workload.measure(directory.path(), run);
            directory.removeAtEnd();
            return share;
        }
    }

    private void report() {
        TextTable table =
                new TextTable(
                        "checksum",
                        "rows/s",
                        "rows/cpu s",
                        "pages summed",
                        "ns/page",
                        "share of cpu",
                        "by NONE's rate",
                        "of samples",
                        "samples");
        for (Map.Entry<ChecksumKind, List<Share>> each : shares.entrySet()) {
            String kind = each.getKey().name();
            List<Share> runs = each.getValue();
            double cpuShare = median(runs, Share::cpuShare);
            double sampleShare = median(runs, Share::sampleShare);
            double rowsPerCpuSecond = median(runs, Share::rowsPerCpuSecond);
            Optional<PairedRatios> byNone = overNone(runs);
            double samples = runs.stream().mapToLong(Share::samples).sum();
            table.line(
                    kind,
                    number("%,.0f", median(runs, Share::rowsPerSecond)),
                    number("%,.0f", rowsPerCpuSecond),
                    number("%,.0f", median(runs, Share::pages)),
                    number("%,.0f", median(runs, Share::nanosPerPage)),
                    number("%.1f %%", 100 * cpuShare),
                    byNone.map(ratio -> number("%.1f %%", 100 * (1 - ratio.median()))).orElse(""),
                    number("%.1f %%", 100 * sampleShare),
                    number("%,.0f", samples));
            measured.set(kind + ".rowsPerSecond", median(runs, Share::rowsPerSecond))
                    .set(kind + ".rowsPerCpuSecond", rowsPerCpuSecond)
                    .set(kind + ".pagesSummed", median(runs, Share::pages))
                    .set(kind + ".nanosPerPage", median(runs, Share::nanosPerPage))
                    .set(kind + ".cpuShare", cpuShare)
                    .set(kind + ".sampleShare", sampleShare)
                    .set(kind + ".samples", samples);
            byNone.ifPresent(
                    ratio ->
                            measured.set(kind + ".shareByNone", 1 - ratio.median())
                                    .set(kind + ".shareByNone.low", 1 - ratio.high())
                                    .set(kind + ".shareByNone.high", 1 - ratio.low()));
        }
        out().print(table.toText());
        out().println(
                        "InnoDB, byte by byte to by words: 33.6 to 22.1 % of the processor time,"
                                + " with a better compiler 31.6 to 17.3 %");
        out().flush();
    }

    /** Rows for a second of processor time over those without sums, round by round. */
    private Optional<PairedRatios> overNone(List<Share> runs) {
        return Optional.ofNullable(shares.get(ChecksumKind.NONE))
                .map(
                        none ->
                                PairedRatios.of(
                                        runs.stream().map(Share::rowsPerCpuSecond).toList(),
                                        none.stream().map(Share::rowsPerCpuSecond).toList()));
    }

    private static double median(List<Share> runs, ToDoubleFunction<Share> part) {
        return PairedRatios.median(runs.stream().mapToDouble(part).boxed().toList());
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
