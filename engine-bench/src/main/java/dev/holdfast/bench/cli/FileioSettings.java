// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.fileio.DeviceShape;
import dev.holdfast.bench.fileio.FileioOptions;
import dev.holdfast.bench.fileio.PageChoice;
import dev.holdfast.bench.fileio.StorageDevice;
import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of all commands that measure files alone, as a picocli mixin. */
final class FileioSettings {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = "REAL",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private StorageDevice device;

    @Option(
            names = "--shape",
            paramLabel = "NAME=VALUE",
            description =
                    "Of the simulated device: read, write, sync in microseconds, mb a second,"
                            + " depth.")
    private Map<String, Long> shape = new LinkedHashMap<>();

    @Option(
            names = "--in",
            paramLabel = "DIRECTORY",
            description =
                    "Where the real device's files are made, and removed from. Default: where"
                            + " temporary files go.")
    private Path parent;

    @Option(
            names = "--file-mode",
            paramLabel = "NAME",
            defaultValue = "BUFFERED",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private FileMode mode;

    @Option(
            names = "--page-bytes",
            paramLabel = "N",
            defaultValue = "16384",
            description = "Default: ${DEFAULT-VALUE}.")
    private int pageBytes;

    @Option(
            names = "--data-mib",
            paramLabel = "N",
            defaultValue = "256",
            description = "The data file's length. Default: ${DEFAULT-VALUE}.")
    private long dataMebibytes;

    @Option(
            names = "--users",
            paramLabel = "N",
            defaultValue = "8",
            description = "Threads that read pages and dirty some. Default: ${DEFAULT-VALUE}.")
    private int users;

    @Option(
            names = "--writers",
            paramLabel = "N",
            defaultValue = "8",
            description = "Threads that write dirty pages. Default: ${DEFAULT-VALUE}.")
    private int writers;

    @Option(
            names = "--dirty",
            paramLabel = "PERCENT",
            defaultValue = "30",
            description = "Of the pages read. Default: ${DEFAULT-VALUE}.")
    private double dirtyPercent;

    @Option(
            names = "--choice",
            paramLabel = "NAME",
            defaultValue = "UNIFORM",
            description = "Which pages: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private PageChoice choice;

    @Option(
            names = "--log-bytes",
            paramLabel = "N",
            defaultValue = "512",
            description = "Of an append, which is synced. Default: ${DEFAULT-VALUE}.")
    private int logBytes;

    @Option(
            names = "--second-log-bytes",
            paramLabel = "N",
            defaultValue = "128",
            description =
                    "Of an append to a second log, which is not; 0 for none. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int secondLogBytes;

    @Option(
            names = "--batch-pages",
            paramLabel = "N",
            defaultValue = "64",
            description = "Of a doublewrite batch, which is synced. Default: ${DEFAULT-VALUE}.")
    private int batchPages;

    @Option(
            names = "--warmup-millis",
            paramLabel = "N",
            defaultValue = "500",
            description = "Before the pattern is measured. Default: ${DEFAULT-VALUE}.")
    private long warmupMillis;

    @Option(
            names = "--measure-millis",
            paramLabel = "N",
            defaultValue = "5000",
            description = "How long the pattern is measured. Default: ${DEFAULT-VALUE}.")
    private long measureMillis;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides pages and bytes. Default: ${DEFAULT-VALUE}.")
    private long seed;

    FileioOptions options() {
        try {
            return new FileioOptions(
                    mode,
                    pageBytes,
                    (dataMebibytes << 20) / pageBytes * pageBytes,
                    users,
                    writers,
                    dirtyPercent / 100,
                    choice,
                    logBytes,
                    secondLogBytes,
                    batchPages,
                    TimeUnit.MILLISECONDS.toNanos(warmupMillis),
                    TimeUnit.MILLISECONDS.toNanos(measureMillis),
                    seed);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    FileMode mode() {
        return mode;
    }

    StorageDevice device() {
        return device;
    }

    /** Says what the figures are of. */
    void describe(Figures figures) {
        figures.set("device", device.toString())
                .set("fileMode", mode.toString())
                .set("pageBytes", pageBytes)
                .set("dataMebibytes", dataMebibytes)
                .set("users", users)
                .set("writers", writers)
                .set("dirtyPercent", dirtyPercent)
                .set("choice", choice.toString())
                .set("logBytes", logBytes)
                .set("secondLogBytes", secondLogBytes)
                .set("batchPages", batchPages);
    }

    /** Makes a directory on the device for the time that it is used, and removes it after. */
    <T> T onDevice(Use<T> use) throws Exception {
        DeviceShape deviceShape;
        try {
            deviceShape = DeviceShape.with(shape);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        try (TemporaryDirectory temporary = temporaryDirectory()) {
            // Also when something failed: there is nothing to be seen in bytes without meaning.
            temporary.removeAtEnd();
            try (StorageDirectory storage =
                    device.open(temporary.path(), mode, deviceShape, seed)) {
                return use.of(storage);
            }
        }
    }

    /** Makes a directory beside which the device's files are, for a store. */
    TemporaryDirectory temporaryDirectory() throws IOException {
        return parent == null ? TemporaryDirectory.create() : TemporaryDirectory.create(parent);
    }

    /** What is done with the directory. */
    interface Use<T> {
        T of(StorageDirectory directory) throws Exception;
    }
}
