// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.fileio.CapacityAdvice;
import dev.holdfast.bench.fileio.DeviceCeiling;
import dev.holdfast.bench.fileio.DeviceCeiling.Request;
import dev.holdfast.bench.fileio.FileioOptions;
import dev.holdfast.bench.fileio.StoragePattern;
import dev.holdfast.bench.fileio.Stream;
import dev.holdfast.bench.fileio.Throughput;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code fileio}: what the device gives, alone and under an engine's pattern. */
@Command(
        name = "fileio",
        subcommands = {
            FileioSchedulerCommand.class,
            FileioEngineCommand.class,
            FileioDoublewriteCommand.class
        },
        description = {
            "Measures the device without the engine: its ceiling by depth, then synced log appends,"
                    + " doublewrite batches and random pages at once, then flushing alone,",
            "and says which ioCapacity follows."
        })
final class FileioCommand implements Callable<Integer> {
    private static final int DEPTH_MAX = 1_000;

    @Spec private CommandSpec spec;
    @Mixin private FileioSettings settings;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--depths",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,4,8,16,32",
            description = "Of the ceiling: threads at once. Default: ${DEFAULT-VALUE}.")
    private List<Integer> depths;

    @Option(
            names = "--ceiling-millis",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Of each kind at each depth. Default: ${DEFAULT-VALUE}.")
    private long ceilingMillis;

    private final Figures measured = new Figures();

    @Override
    public Integer call() throws Exception {
        FileioOptions options = settings.options();
        if (ceilingMillis < 1 || depths.stream().anyMatch(each -> each < 1 || each > DEPTH_MAX)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: ceiling-millis=" + ceilingMillis + ", depths=" + depths);
        }
        RunConditions.now().forEach(measured::set);
        settings.describe(measured);
        settings.onDevice(directory -> measure(directory, options));
        figures.write(measured);
        return 0;
    }

    private Void measure(StorageDirectory directory, FileioOptions options) throws Exception {
        Map<Request, Map<Integer, Double>> rates = ceiling(directory, options);
        double flushed;
        try (StoragePattern pattern = StoragePattern.create(directory, options)) {
            report("pattern", options, pattern.run());
            FileioOptions flushOnly = options.flushOnly();
            StoragePattern.Result result = pattern.run(flushOnly);
            report("flush only", flushOnly, result);
            flushed = result.of(Stream.PAGE_WRITE).operationsPerSecond();
            reportFiles(pattern.files(), options.pageBytes());
        }
        CapacityAdvice advice =
                CapacityAdvice.of(
                        rates.get(Request.PAGE_READ), rates.get(Request.PAGE_WRITE), flushed);
        say("");
        advice.reasons().forEach(this::say);
        measured.set("advice.ioCapacity", advice.pagesPerSecond());
        return null;
    }

    private Map<Request, Map<Integer, Double>> ceiling(
            StorageDirectory directory, FileioOptions options)
            throws IOException, InterruptedException, ExecutionException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(ceilingMillis);
        TextTable table =
                new TextTable("device ceiling", "depth", "ops/s", "MB/s", "p50 us", "p99 us");
        Map<Request, Map<Integer, Double>> rates = new EnumMap<>(Request.class);
        try (DeviceCeiling ceiling = DeviceCeiling.create(directory, options)) {
            for (Request request : Request.values()) {
                ceiling.measure(request, depths.get(0), nanos / 2);
                rates.put(request, new TreeMap<>());
                for (int depth : depths) {
                    Throughput result = ceiling.measure(request, depth, nanos);
                    rates.get(request).put(depth, result.operationsPerSecond());
                    table.line(
                            request.title(),
                            Integer.toString(depth),
                            number("%,.0f", result.operationsPerSecond()),
                            number("%,.1f", result.megabytesPerSecond()),
                            number("%,.1f", result.micros(50)),
                            number("%,.1f", result.micros(99)));
                    set("ceiling." + request + '@' + depth, result);
                }
            }
        }
        out().print(table.toText());
        out().flush();
        return rates;
    }

    private void report(String title, FileioOptions options, StoragePattern.Result result) {
        TextTable table =
                new TextTable(title, "ops/s", "MB/s", "p50 us", "p99 us", "p99.9 us", "max us");
        for (Stream stream : Stream.values()) {
            Throughput each = result.of(stream);
            if (each.operations() > 0) {
                table.line(
                        stream.title(),
                        number("%,.0f", each.operationsPerSecond()),
                        number("%,.1f", each.megabytesPerSecond()),
                        number("%,.1f", each.micros(50)),
                        number("%,.1f", each.micros(99)),
                        number("%,.1f", each.micros(99.9)),
                        number("%,.0f", each.maxMicros()));
                set(title + '.' + stream, each);
            }
        }
        say("");
        out().print(table.toText());
        say(
                String.format(
                        Locale.ROOT,
                        "users=%d writers=%d batch=%d pages, users waited for the flusher %d times",
                        options.users(),
                        options.writers(),
                        options.batchPages(),
                        result.stalls()));
        measured.set(title + ".stalls", result.stalls());
    }

    /** A line a file, as the engine's status has them: what was really moved, warm-up included. */
    private void reportFiles(List<StorageFile> files, int pageBytes) {
        TextTable table =
                new TextTable(
                        "file",
                        "reads",
                        "pages",
                        "ms/read",
                        "writes",
                        "pages",
                        "ms/write",
                        "syncs",
                        "ms/sync");
        for (StorageFile file : files) {
            table.line(
                    file.name(),
                    number("%,d", file.statistics().reads()),
                    number("%,d", file.statistics().readBytes() / pageBytes),
                    millis(file.statistics().readNanos(), file.statistics().reads()),
                    number("%,d", file.statistics().writes()),
                    number("%,d", file.statistics().writeBytes() / pageBytes),
                    millis(file.statistics().writeNanos(), file.statistics().writes()),
                    number("%,d", file.statistics().syncs()),
                    millis(file.statistics().syncNanos(), file.statistics().syncs()));
        }
        say("");
        out().print(table.toText());
        out().flush();
    }

    private void set(String name, Throughput result) {
        measured.set(name + ".perSecond", result.operationsPerSecond())
                .set(name + ".megabytesPerSecond", result.megabytesPerSecond())
                .set(name + ".p50Micros", result.micros(50))
                .set(name + ".p99Micros", result.micros(99))
                .set(name + ".maxMicros", result.maxMicros());
    }

    private static String millis(long nanos, long requests) {
        return requests == 0 ? "" : number("%.3f", nanos / 1e6 / requests);
    }

    private static String number(String format, Object value) {
        return String.format(Locale.ROOT, format, value);
    }

    private void say(String line) {
        out().println(line);
        out().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
