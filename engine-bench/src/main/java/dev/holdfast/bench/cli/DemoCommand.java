// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.demo.Demo;
import dev.holdfast.bench.demo.DemoOptions;
import dev.holdfast.bench.demo.DemoResult;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.report.ThroughputPlot;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code demo}: the main job, with a summary. */
@Command(
        name = "demo",
        description = {
            "Imports the files of the running JDK into a new store while it is killed again and"
                    + " again,",
            "puts a mixed load on it, and compares every row with its source."
        })
final class DemoCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private DemoStoreOptions store;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "A new or empty directory, which stays. Default: one that is removed.")
    private Path directory;

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often the import is killed. Default: ${DEFAULT-VALUE}.")
    private int kills;

    @Option(
            names = "--load-seconds",
            paramLabel = "N",
            defaultValue = "8",
            description = "How long the mixed load lasts. Default: ${DEFAULT-VALUE}.")
    private int loadSeconds;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Draws the throughput by second into this PNG file.")
    private Path plot;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        checkOptions();
        if (directory != null) {
            return run(directory) ? 0 : 1;
        }
        try (TemporaryDirectory temporary = TemporaryDirectory.create()) {
            out().println("store: " + temporary.path());
            boolean isAsItMustBe = run(temporary.path().resolve("store"));
            if (isAsItMustBe) {
                temporary.removeAtEnd();
            } else {
                out().println("the store is kept: " + temporary.path());
            }
            return isAsItMustBe ? 0 : 1;
        }
    }

    private void checkOptions() throws IOException {
        if (store.threads() < 1 || store.source().filesMax() < 1 || kills < 0 || loadSeconds < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: threads="
                            + store.threads()
                            + ", files="
                            + store.source().filesMax()
                            + ", kills="
                            + kills
                            + ", load-seconds="
                            + loadSeconds);
        }
        if (directory != null && Files.exists(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                if (files.findAny().isPresent()) {
                    throw new ParameterException(
                            spec.commandLine(), "Directory is not empty: " + directory);
                }
            }
        }
        try {
            store.settings(Path.of("")).check();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private boolean run(Path storeDirectory)
            throws IOException, InterruptedException, ExecutionException {
        DemoOptions options =
                new DemoOptions(
                        store.settings(storeDirectory),
                        store.source(),
                        store.threads(),
                        kills,
                        loadSeconds);
        DemoResult result = new Demo(options, ChildLife.command("demo-import"), out()).run();
        print(result);
        figures.write(figuresOf(result));
        if (plot != null) {
            ThroughputPlot.write(
                    plot, "Holdfast demo", List.of(result.importedRows(), result.loadCalls()));
        }
        return result.differences().count() == 0;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void print(DemoResult result) {
        out().println();
        out().println(result.status());
        TextTable table = new TextTable("summary", "");
        table.line("rows", number("%,d", result.rows()));
        table.line("MB", number("%.1f", result.megabytes()));
        table.line(
                "kills, of them in recovery",
                number("%d, %d", result.kills(), result.killsInRecovery()));
        table.line("import MB/s", number("%.1f", result.importMegabytesPerSecond()));
        table.line("import commits/s", number("%.0f", result.importCommitsPerSecond()));
        table.line("import commits per sync", number("%.2f", result.importCommitsPerSync()));
        table.line("commits without acknowledgement", number("%d", result.batchesUnacknowledged()));
        table.line("recovery ms", result.recoveryMillis().toString());
        table.line("load reads/s", number("%,.0f", result.readsPerSecond()));
        table.line("load scans/s", number("%,.0f", result.scansPerSecond()));
        table.line("load rows scanned/s", number("%,.0f", result.rowsScannedPerSecond()));
        table.line("load updates/s", number("%,.0f", result.updatesPerSecond()));
        table.line("load transfers/s", number("%,.0f", result.transfersPerSecond()));
        table.line("load retries", number("%,d", result.retries()));
        table.line("load commits per sync", number("%.2f", result.loadCommitsPerSync()));
        table.line("load hit ratio", number("%.4f", result.hitRatio()));
        table.line("seconds", number("%.1f", result.totalSeconds()));
        table.line("differences", number("%,d", result.differences().count()));
        out().print(table.toText());
        for (String text : result.differences().texts()) {
            out().println("DIFFERENCE: " + text);
        }
        out().flush();
    }

    private static Figures figuresOf(DemoResult result) {
        return new Figures()
                .set("rows", result.rows())
                .set("megabytes", result.megabytes())
                .set("kills", result.kills())
                .set("killsInRecovery", result.killsInRecovery())
                .set("importSeconds", result.importSeconds())
                .set("importMegabytesPerSecond", result.importMegabytesPerSecond())
                .set("importCommitsPerSecond", result.importCommitsPerSecond())
                .set("importCommitsPerSync", result.importCommitsPerSync())
                .set("commitsWithoutAcknowledgement", result.batchesUnacknowledged())
                .set("recoveryMillisMax", result.recoveryMillisMax())
                .set("readsPerSecond", result.readsPerSecond())
                .set("scansPerSecond", result.scansPerSecond())
                .set("rowsScannedPerSecond", result.rowsScannedPerSecond())
                .set("updatesPerSecond", result.updatesPerSecond())
                .set("transfersPerSecond", result.transfersPerSecond())
                .set("retries", result.retries())
                .set("loadCommitsPerSync", result.loadCommitsPerSync())
                .set("hitRatio", result.hitRatio())
                .set("totalSeconds", result.totalSeconds())
                .set("differences", result.differences().count());
    }

    private static String number(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
