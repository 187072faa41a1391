// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** If this failed, a command that measures files had ceased to work while nobody ran it. */
class FileioCommandTest {
    @TempDir private Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command =
            HoldfastCommand.commandLine()
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fileio --depths=0",
                "fileio --ceiling-millis=0",
                "fileio --users=0 --writers=0",
                "fileio --dirty=101",
                "fileio --log-bytes=0",
                "fileio --batch-pages=513",
                "fileio --page-bytes=5000",
                "fileio --choice=SOME",
                "fileio --device=SIMULATED --shape=speed=1",
                "fileio --device=SIMULATED --shape=depth=0",
                "fileio scheduler --depths=65",
                "fileio scheduler --pairs=0",
                "fileio scheduler --turn-millis=0",
                "fileio scheduler --data-mib=1",
                "fileio scheduler --run-pages=3",
                "fileio engine --threads=0",
                "fileio engine --device=SIMULATED",
                "fileio engine --rows=0",
                "fileio engine -O turbo=1",
                "fileio doublewrite --batches=0",
                "fileio doublewrite --batches=513",
                "fileio doublewrite --rounds=0",
                "fileio doublewrite --turn-millis=0",
                "fileio engine --turn-millis=0"
            })
    void givenAWrongCall_whenRun_thenTheExitCodeIsTwoAndTheReasonIsSaid(String line) {
        int exitCode = command.execute(line.split(" ", -1));

        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--device=REAL",
                "--device=SIMULATED --shape=read=50 --shape=sync=100",
                "--device=SIMULATED --file-mode=DIRECT --choice=LATEST",
                "--device=REAL --choice=ZIPF --second-log-bytes=0"
            })
    void givenADevice_whenMeasuredForAMoment_thenCeilingPatternAndAdviceAreSaid(String options)
            throws Exception {
        Path json = directory.resolve("figures.json");
        String line =
                "fileio --depths=1,2 --ceiling-millis=5 --data-mib=2 --batch-pages=4"
                        + " --dirty=100 --warmup-millis=0 --measure-millis=100 --in="
                        + directory
                        + " --json="
                        + json
                        + ' '
                        + options;

        int exitCode = command.execute(line.split(" ", -1));

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .contains("device ceiling", "log appends, synced", "flush only", "ms/sync")
                .contains("ioCapacity=");
        assertThat(Files.readString(json))
                .contains("\"ceiling.PAGE_READ@2.perSecond\"", "\"pattern.LOG_APPEND.p99Micros\"")
                .contains("\"flush only.PAGE_WRITE.perSecond\"", "\"advice.ioCapacity\"");
        assertThat(directoriesLeft()).isZero();
    }

    @Test
    void givenTheScheduler_whenComparedForAMoment_thenRatiosMergesAndBytesAreSaid()
            throws Exception {
        Path json = directory.resolve("figures.json");
        String line =
                "fileio scheduler --device=SIMULATED --data-mib=16 --depths=2 --run-pages=8"
                        + " --pairs=1 --warmup-pairs=0 --turn-millis=20 --json="
                        + json;

        int exitCode = command.execute(line.split(" ", -1));

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("bare loop/s", "8 neighbours", "requests/transfer");
        assertThat(Files.readString(json))
                .contains("\"reads@2.ratio\"", "\"writes@2.bytesPerRequest\"")
                .contains("\"neighbours@8.requestsPerTransfer\"");
    }

    @Test
    void givenAnEngine_whenItTakesTurnsWithItsDevice_thenItsSharesAreSaid() throws Exception {
        Path json = directory.resolve("figures.json");
        String line =
                "fileio engine --rows=60000 --data-mib=4 --batch-pages=8 --threads=2 --pairs=1"
                        + " --warmup-pairs=1 --turn-millis=50 --in="
                        + directory
                        + " --json="
                        + json;

        int exitCode = command.execute(line.split(" ", -1));

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("durable commits", "page misses", "pages flushed");
        assertThat(figure(json, "DURABLE.share")).isPositive();
        assertThat(figure(json, "READS.enginePerSecond")).isPositive();
        assertThat(figure(json, "FLUSH.devicePerSecond")).isPositive();
        assertThat(directoriesLeft()).isZero();
    }

    @Test
    void givenTwoLengthsOfBatches_whenFlushed_thenPagesPerSecondAreSaidOfDeviceAndEngine()
            throws Exception {
        Path json = directory.resolve("figures.json");
        String line =
                "fileio doublewrite --rows=5000 --data-mib=4 --batches=1,16 --rounds=1"
                        + " --turn-millis=50 --in="
                        + directory
                        + " --json="
                        + json;

        int exitCode = command.execute(line.split(" ", -1));

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(figure(json, "batch@1.engine.pagesPerSecond")).isPositive();
        assertThat(figure(json, "batch@16.engine.pagesPerSecond")).isPositive();
        assertThat(figure(json, "batch@16.device.pagesPerSecond")).isPositive();
        assertThat(directoriesLeft()).isZero();
    }

    private static double figure(Path json, String name) throws IOException {
        return Files.readAllLines(json).stream()
                .filter(line -> line.contains('"' + name + '"'))
                .mapToDouble(
                        line ->
                                Double.parseDouble(
                                        line.substring(line.indexOf(": ") + 2).replace(",", "")))
                .findFirst()
                .orElseThrow();
    }

    private long directoriesLeft() throws IOException {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.filter(Files::isDirectory).count();
        }
    }
}
