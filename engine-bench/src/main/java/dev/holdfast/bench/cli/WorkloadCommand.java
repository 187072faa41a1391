// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.report.TextTable;
import dev.holdfast.bench.workload.CrashedUpdates;
import dev.holdfast.bench.workload.Measurement;
import dev.holdfast.bench.workload.Phase;
import dev.holdfast.bench.workload.PhaseRunner;
import dev.holdfast.bench.workload.Phases;
import dev.holdfast.bench.workload.WorkloadOptions;
import dev.holdfast.bench.workload.WorkloadStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code workload}: phases on a store of its own, each measured. */
@Command(
        name = "workload",
        description = {
            "Measures phases of load, each on the table that load-seq wrote; load-random writes a"
                    + " table of its own,",
            "recovery has a JVM killed amid updates and times the next open."
        })
final class WorkloadCommand implements Callable<Integer> {
    private static final String RECOVERY = "recovery";
    private static final double OTHERS_NOTICED = 0.15;

    @Spec private CommandSpec spec;
    @Mixin private WorkloadSettings settings;
    @Mixin private FiguresOption figures;

    @Option(
            names = "--phases",
            split = ",",
            paramLabel = "NAME[@THREADS]",
            defaultValue =
                    "load-seq,scan-full,read-random,scan-100,update-nosync,update-sync@1,"
                            + "update-sync@8,update-sync@64,load-random,recovery",
            description = "In this order. Default: ${DEFAULT-VALUE}.")
    private List<String> names;

    @Option(
            names = "--warmup-millis",
            paramLabel = "N",
            defaultValue = "700",
            description = "Before a timed phase is measured. Default: ${DEFAULT-VALUE}.")
    private long warmupMillis;

    @Option(
            names = "--measure-millis",
            paramLabel = "N",
            defaultValue = "2000",
            description = "How long a timed phase is measured. Default: ${DEFAULT-VALUE}.")
    private long measureMillis;

    @Option(
            names = "--update-seconds",
            paramLabel = "N",
            defaultValue = "6",
            description = "How long recovery lets the updates go on. Default: ${DEFAULT-VALUE}.")
    private long updateSeconds;

    private final Figures measured = new Figures();
    private final TextTable table =
            new TextTable(
                    "phase",
                    "units/s",
                    "p50 us",
                    "p99 us",
                    "max us",
                    "B/unit",
                    "units/cpu s",
                    "commits/sync",
                    "retries",
                    "others' cpu");

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        if (warmupMillis < 0 || measureMillis < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Out of range: warmup-millis="
                            + warmupMillis
                            + ", measure-millis="
                            + measureMillis);
        }
        WorkloadOptions options =
                settings.options(
                        TimeUnit.MILLISECONDS.toNanos(warmupMillis),
                        TimeUnit.MILLISECONDS.toNanos(measureMillis),
                        Map.of());
        List<Phase> phases = phases();
        if (!phases.isEmpty()) {
            measureTimed(options, phases);
        }
        if (names.contains(Phases.LOAD_RANDOM)) {
            measureRandomLoad(options);
        }
        out().print(table.toText());
        boolean isSound = !names.contains(RECOVERY) || measureRecovery(options);
        out().flush();
        figures.write(measured);
        return isSound ? 0 : 1;
    }

    /** Returns what runs on the one loaded table; the load comes first, asked for or not. */
    private List<Phase> phases() {
        List<Phase> phases = new ArrayList<>();
        try {
            for (String name : names) {
                if (!name.equals(RECOVERY) && !name.equals(Phases.LOAD_RANDOM)) {
                    phases.add(Phases.parse(name));
                }
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        phases.removeIf(phase -> !phase.isTimed());
        if (!phases.isEmpty() || names.contains(Phases.LOAD_SEQUENTIAL)) {
            phases.add(0, Phases.parse(Phases.LOAD_SEQUENTIAL));
        }
        return phases;
    }

    private void measureTimed(WorkloadOptions options, List<Phase> phases)
            throws IOException, InterruptedException, ExecutionException {
        try (TemporaryDirectory directory = TemporaryDirectory.create()) {
            try (WorkloadStore store = WorkloadStore.open(directory.path(), options)) {
                PhaseRunner runner = new PhaseRunner(store, options);
                for (Phase phase : phases) {
                    take(runner.run(phase));
                }
            }
            directory.removeAtEnd();
        }
    }

    private void measureRandomLoad(WorkloadOptions options)
            throws IOException, InterruptedException, ExecutionException {
        try (TemporaryDirectory directory = TemporaryDirectory.create()) {
            try (WorkloadStore store = WorkloadStore.open(directory.path(), options)) {
                take(new PhaseRunner(store, options).run(Phases.parse(Phases.LOAD_RANDOM)));
            }
            directory.removeAtEnd();
        }
    }

    private boolean measureRecovery(WorkloadOptions options)
            throws IOException, InterruptedException {
        try (TemporaryDirectory directory = TemporaryDirectory.create()) {
            Path store = directory.path();
            List<String> command = new ArrayList<>(ChildLife.command(WorkloadCrashCommand.NAME));
            command.addAll(settings.arguments());
            command.add("--directory=" + store);
            CrashedUpdates.Result result =
                    new CrashedUpdates(store, options)
                            .measure(command, TimeUnit.SECONDS.toNanos(updateSeconds));
            out().printf(
                            Locale.ROOT,
                            "recovery: open %.0f ms, redo %.1f MB, %.1f MB/s, %,.0f records/s,"
                                    + " sound %s%n",
                            result.openMillis(),
                            result.redoBytes() / 1e6,
                            result.megabytesPerSecond(),
                            result.recordsPerSecond(),
                            result.isSound());
            measured.set("recovery.openMillis", result.openMillis())
                    .set("recovery.redoBytes", result.redoBytes())
                    .set("recovery.megabytesPerSecond", result.megabytesPerSecond())
                    .set("recovery.recordsPerSecond", result.recordsPerSecond());
            directory.removeAtEnd();
            return result.isSound();
        }
    }

    private void take(Measurement phase) {
        String others = number("%.0f %%", 100 * phase.otherCpuShare());
        table.line(
                phase.title(),
                number("%,.0f", phase.unitsPerSecond()),
                number("%,.1f", phase.micros(50)),
                number("%,.1f", phase.micros(99)),
                number("%,.0f", phase.maxMicros()),
                number("%,.1f", phase.allocatedBytesPerUnit()),
                number("%,.0f", phase.unitsPerCpuSecond()),
                number("%.2f", phase.commitsPerSync()),
                number("%,d", phase.retries()),
                phase.otherCpuShare() > OTHERS_NOTICED ? others + " ~" : others);
        measured.set(phase.title() + ".unitsPerSecond", phase.unitsPerSecond())
                .set(phase.title() + ".p50Micros", phase.micros(50))
                .set(phase.title() + ".p99Micros", phase.micros(99))
                .set(phase.title() + ".maxMicros", phase.maxMicros())
                .set(phase.title() + ".bytesPerUnit", phase.allocatedBytesPerUnit())
                .set(phase.title() + ".unitsPerCpuSecond", phase.unitsPerCpuSecond())
                .set(phase.title() + ".commitsPerSync", phase.commitsPerSync())
                .set(phase.title() + ".retries", phase.retries())
                .set(phase.title() + ".othersCpuShare", phase.otherCpuShare());
        out().println("measured " + phase.title());
        out().flush();
    }

    private static String number(String format, Object value) {
        return String.format(Locale.ROOT, format, value);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
