// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.fileio.FileioOptions;
import dev.holdfast.bench.fileio.FlushTurn;
import dev.holdfast.bench.fileio.StorageDevice;
import dev.holdfast.bench.fileio.StoragePattern;
import dev.holdfast.bench.fileio.Stream;
import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.workload.WorkloadOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code fileio doublewrite}: pages flushed in a second, by the length of a batch. */
@Command(
        name = "doublewrite",
        description = {
            "Flushes with doublewrite batches of each length in turn:",
            "the bare device with the pattern's flusher and writers, and checkpoints of engines."
        })
final class FileioDoublewriteCommand implements Callable<Integer> {
    private static final long POOL_BYTES_PER_ROW = 400;

    @Spec private CommandSpec spec;
    @Mixin private FileioSettings settings;
    @Mixin private FileioStoreOptions storeOptions;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--batches",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,4,8,16,32,64,128,256,512",
            description = "Pages of a batch. Default: ${DEFAULT-VALUE}.")
    private List<Integer> batches;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Turns of each length that count. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--turn-millis",
            paramLabel = "N",
            defaultValue = "500",
            description =
                    "Of the device's turns; an engine's is a checkpoint. Default:"
                            + " ${DEFAULT-VALUE}.")
    private long turnMillis;

    private final Map<Integer, List<Double>> ofDevice = new TreeMap<>();
    private final Map<Integer, List<Double>> ofEngine = new TreeMap<>();
    private final List<FlushTurn> engines = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        check(settings.options());
        FileioOptions options =
                settings.options().withTurn(TimeUnit.MILLISECONDS.toNanos(turnMillis)).flushOnly();
        try (TemporaryDirectory stores = settings.temporaryDirectory()) {
            settings.onDevice(
                    directory -> {
                        try (StoragePattern pattern = StoragePattern.create(directory, options)) {
                            openEngines(stores.path(), options);
                            run(pattern, options);
                        } finally {
                            engines.forEach(FlushTurn::close);
                        }
                        return null;
                    });
            stores.removeAtEnd();
        }
        report();
        return 0;
    }

    private void check(FileioOptions options) {
        boolean isGood = rounds >= 1 && turnMillis >= 1 && settings.device() == StorageDevice.REAL;
        for (int batch : batches) {
            isGood &= batch >= 1 && batch <= FileioOptions.BATCH_PAGES_MAX;
            isGood &= batch <= options.pages();
        }
        if (!isGood) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: rounds="
                            + rounds
                            + ", turn-millis="
                            + turnMillis
                            + ", batches="
                            + batches
                            + ", device="
                            + settings.device());
        }
    }

    private void openEngines(Path parent, FileioOptions options) throws Exception {
        for (int batch : batches) {
            WorkloadOptions store =
                    storeOptions.options(
                            options,
                            options.measureNanos(),
                            storeOptions.rows() * POOL_BYTES_PER_ROW,
                            Map.of("doublewriteBatchPages", Integer.toString(batch)));
            Path directory = Files.createDirectory(parent.resolve("batch-" + batch));
            engines.add(FlushTurn.open(directory, store));
        }
    }

    private void run(StoragePattern pattern, FileioOptions options) throws Exception {
        for (int round = -1; round < rounds; round++) {
            for (int i = 0; i < batches.size(); i++) {
                int place = round % 2 == 0 ? i : batches.size() - 1 - i;
                int batch = batches.get(place);
                double device =
                        pattern.run(options.withBatchPages(batch))
                                .of(Stream.PAGE_WRITE)
                                .operationsPerSecond();
                double engine = engines.get(place).unitsPerSecond();
                if (round >= 0) {
                    ofDevice.computeIfAbsent(batch, (unused) -> new ArrayList<>()).add(device);
                    ofEngine.computeIfAbsent(batch, (unused) -> new ArrayList<>()).add(engine);
                }
            }
        }
    }

    private void report() throws Exception {
        Figures measured = new Figures();
        RunConditions.now().forEach(measured::set);
        settings.describe(measured);
        int least = ofDevice.keySet().iterator().next();
        TextTable table =
                new TextTable(
                        "batch",
                        "device pages/s",
                        "over " + least,
                        "engine pages/s",
                        "over " + least,
                        "low",
                        "high",
                        "engine/device");
        for (int batch : ofDevice.keySet()) {
            double device = PairedRatios.median(ofDevice.get(batch));
            double engine = PairedRatios.median(ofEngine.get(batch));
            PairedRatios deviceGain = PairedRatios.of(ofDevice.get(batch), ofDevice.get(least));
            PairedRatios engineGain = PairedRatios.of(ofEngine.get(batch), ofEngine.get(least));
            table.line(
                    Integer.toString(batch),
                    number("%,.0f", device),
                    number("%.2f", deviceGain.median()),
                    number("%,.0f", engine),
                    number("%.2f", engineGain.median()),
                    number("%.2f", engineGain.low()),
                    number("%.2f", engineGain.high()),
                    number("%.2f", engine / device));
            measured.set("batch@" + batch + ".device.pagesPerSecond", device)
                    .set("batch@" + batch + ".engine.pagesPerSecond", engine)
                    .set("batch@" + batch + ".engine.gain", engineGain.median())
                    .set("batch@" + batch + ".engine.gain.low", engineGain.low())
                    .set("batch@" + batch + ".engine.gain.high", engineGain.high());
        }
        out().print(table.toText());
        out().flush();
        figures.write(measured);
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
