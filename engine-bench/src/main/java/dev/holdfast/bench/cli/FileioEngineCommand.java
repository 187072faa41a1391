// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.fileio.DeviceShare;
import dev.holdfast.bench.fileio.EngineLoad;
import dev.holdfast.bench.fileio.FileioOptions;
import dev.holdfast.bench.fileio.PairedTurns;
import dev.holdfast.bench.fileio.StorageDevice;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code fileio engine}: an engine's figures as a share of its device's. */
@Command(
        name = "engine",
        description = {
            "Runs the engine and the bare device in turn, and says what share of the device's"
                    + " ceiling the engine reaches:",
            "durable updates over a log alone, page misses of random reads, pages flushed by"
                    + " updates."
        })
final class FileioEngineCommand implements Callable<Integer> {
    private static final long ROW_BYTES = 150;
    private static final int POOL_PART = 10;
    private static final int THREADS_MAX = 1_000;

    @Spec private CommandSpec spec;
    @Mixin private FileioSettings settings;
    @Mixin private FileioStoreOptions storeOptions;
    @Mixin private TurnOptions turnOptions;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--loads",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "DURABLE,READS,FLUSH",
            description = "${COMPLETION-CANDIDATES}. Default: all.")
    private List<EngineLoad> loads;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "8",
            description = "Of the engine's load, and of bare reads. Default: ${DEFAULT-VALUE}.")
    private int threads;

    private final Figures measured = new Figures();
    private final TextTable table =
            new TextTable(
                    "load",
                    "counted",
                    "device/s",
                    "engine/s",
                    "share",
                    "low",
                    "high",
                    "units/s",
                    "commits/sync",
                    "B/commit");

    @Override
    public Integer call() throws Exception {
        PairedTurns turns = turnOptions.turns();
        FileioOptions device = settings.options().withTurn(turnOptions.turnNanos());
        if (threads < 1 || threads > THREADS_MAX || settings.device() != StorageDevice.REAL) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: threads=" + threads + ", device=" + settings.device());
        }
        RunConditions.now().forEach(measured::set);
        settings.describe(measured);
        for (EngineLoad load : loads) {
            measure(load, device, turns);
        }
        out().print(table.toText());
        out().flush();
        figures.write(measured);
        return 0;
    }

    private void measure(EngineLoad load, FileioOptions device, PairedTurns turns)
            throws Exception {
        long dataBytes = storeOptions.rows() * ROW_BYTES;
        long poolBytes = load.isBeyondPool() ? dataBytes / POOL_PART : 2 * dataBytes;
        WorkloadOptions options =
                storeOptions.options(device, turnOptions.turnNanos(), poolBytes, Map.of());
        try (TemporaryDirectory store = settings.temporaryDirectory()) {
            settings.onDevice(
                    directory -> {
                        try (DeviceShare share =
                                DeviceShare.open(
                                        load, threads, options, device, directory, store.path())) {
                            take(load, share, turns.run(share::bareTurn, share::engineTurn));
                        }
                        return null;
                    });
            store.removeAtEnd();
        }
        out().println("measured " + load);
        out().flush();
    }

    private void take(EngineLoad load, DeviceShare share, PairedTurns.Result result) {
        table.line(
                load.phase() + '@' + threads,
                load.unit(),
                number("%,.0f", result.first()),
                number("%,.0f", result.second()),
                number("%.3f", result.ratio().median()),
                number("%.3f", result.ratio().low()),
                number("%.3f", result.ratio().high()),
                number("%,.0f", share.unitsPerSecond()),
                number("%.2f", share.commitsPerSync()),
                number("%,.0f", share.appendBytes()));
        measured.set(load + ".devicePerSecond", result.first())
                .set(load + ".enginePerSecond", result.second())
                .set(load + ".share", result.ratio().median())
                .set(load + ".share.low", result.ratio().low())
                .set(load + ".share.high", result.ratio().high())
                .set(load + ".unitsPerSecond", share.unitsPerSecond())
                .set(load + ".commitsPerSync", share.commitsPerSync())
                .set(load + ".bytesPerCommit", share.appendBytes());
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
