// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.fileio.BareLoopTurn;
import dev.holdfast.bench.fileio.FileioOptions;
import dev.holdfast.bench.fileio.NeighbourTurn;
import dev.holdfast.bench.fileio.PageTraffic;
import dev.holdfast.bench.fileio.PairedTurns;
import dev.holdfast.bench.fileio.SchedulerTurn;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.io.async.IoSchedulerOptions;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code fileio scheduler}: background requests against bare loops. */
@Command(
        name = "scheduler",
        description = {
            "Compares random pages through the scheduler of background IO with bare loops of as"
                    + " many threads, in turn,",
            "and neighbouring writes merged with such that are not."
        })
final class FileioSchedulerCommand implements Callable<Integer> {
    private static final double GOAL = 0.9;
    private static final int MERGE_DEPTH = 4;

    @Spec private CommandSpec spec;
    @Mixin private FileioSettings settings;
    @Mixin private TurnOptions turnOptions;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--depths",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,4,8,16",
            description = "Threads at the device, of both sides. Default: ${DEFAULT-VALUE}.")
    private List<Integer> depths;

    @Option(
            names = "--run-pages",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,4,16",
            description =
                    "How many of a batch's 128 pages are neighbours. Default: ${DEFAULT-VALUE}.")
    private List<Integer> runPages;

    private final Figures measured = new Figures();

    @Override
    public Integer call() throws Exception {
        FileioOptions options = settings.options();
        PairedTurns turns = turnOptions.turns();
        if (depths.stream().anyMatch(each -> each < 1 || each > IoSchedulerOptions.THREADS_MAX)) {
            throw new ParameterException(spec.commandLine(), "Out of range: depths=" + depths);
        }
        try {
            depths.forEach(depth -> PageTraffic.check(options.pages(), depth));
            runPages.forEach(pages -> NeighbourTurn.check(options.pages(), pages));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        RunConditions.now().forEach(measured::set);
        settings.describe(measured);
        settings.onDevice(directory -> measure(directory, options, turns));
        figures.write(measured);
        return 0;
    }

    private Void measure(StorageDirectory directory, FileioOptions options, PairedTurns turns)
            throws IOException, InterruptedException, ExecutionException {
        try (StorageFile file = PageTraffic.createFile(directory, options)) {
            TextTable table =
                    new TextTable(
                            "random pages",
                            "depth",
                            "bare loop/s",
                            "scheduler/s",
                            "ratio",
                            "low",
                            "high",
                            "goal 0.9",
                            "B/request",
                            "of bare loop");
            for (boolean isWrite : new boolean[] {false, true}) {
                for (int depth : depths) {
                    compare(traffic(file, options, isWrite, depth), turns, table);
                }
            }
            print(table);
            TextTable merges =
                    new TextTable(
                            "batches of 128 writes",
                            "alone/s",
                            "merged/s",
                            "ratio",
                            "low",
                            "high",
                            "requests/transfer");
            for (int pages : runPages) {
                merge(traffic(file, options, true, MERGE_DEPTH), pages, turns, merges);
            }
            print(merges);
        }
        return null;
    }

    private PageTraffic traffic(
            StorageFile file, FileioOptions options, boolean isWrite, int depth) {
        return new PageTraffic(
                file,
                options.pageBytes(),
                options.pages(),
                isWrite,
                depth,
                turnOptions.turnNanos(),
                options.seed());
    }

    private void compare(PageTraffic traffic, PairedTurns turns, TextTable table)
            throws IOException, InterruptedException, ExecutionException {
        BareLoopTurn bare = new BareLoopTurn(traffic);
        try (SchedulerTurn scheduler = new SchedulerTurn(traffic)) {
            PairedTurns.Result result = turns.run(bare, scheduler);
            String title = traffic.isWrite() ? "writes" : "reads";
            table.line(
                    title,
                    Integer.toString(traffic.depth()),
                    number("%,.0f", result.first()),
                    number("%,.0f", result.second()),
                    number("%.3f", result.ratio().median()),
                    number("%.3f", result.ratio().low()),
                    number("%.3f", result.ratio().high()),
                    result.ratio().low() >= GOAL
                            ? "reached"
                            : result.ratio().high() < GOAL ? "missed" : "open",
                    number("%.1f", scheduler.bytesPerRequest()),
                    number("%.1f", bare.bytesPerRequest()));
            String key = title + '@' + traffic.depth();
            set(key, result);
            measured.set(key + ".bytesPerRequest", scheduler.bytesPerRequest())
                    .set(key + ".bareLoop.bytesPerRequest", bare.bytesPerRequest());
        }
    }

    private void merge(PageTraffic traffic, int pages, PairedTurns turns, TextTable table)
            throws IOException, InterruptedException, ExecutionException {
        try (NeighbourTurn alone = new NeighbourTurn(traffic, pages, 0);
                NeighbourTurn merged =
                        new NeighbourTurn(traffic, pages, IoSchedulerOptions.MERGE_BYTES_DEFAULT)) {
            PairedTurns.Result result = turns.run(alone, merged);
            table.line(
                    pages + " neighbours",
                    number("%,.0f", result.first()),
                    number("%,.0f", result.second()),
                    number("%.3f", result.ratio().median()),
                    number("%.3f", result.ratio().low()),
                    number("%.3f", result.ratio().high()),
                    number("%.2f", merged.requestsPerTransfer()));
            String key = "neighbours@" + pages;
            set(key, result);
            measured.set(key + ".requestsPerTransfer", merged.requestsPerTransfer());
        }
    }

    private void set(String key, PairedTurns.Result result) {
        measured.set(key + ".first", result.first())
                .set(key + ".second", result.second())
                .set(key + ".ratio", result.ratio().median())
                .set(key + ".ratio.low", result.ratio().low())
                .set(key + ".ratio.high", result.ratio().high())
                .set(key + ".ratio.coverage", result.ratio().coverage());
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private void print(TextTable table) {
        out().print(table.toText());
        out().println();
        out().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
