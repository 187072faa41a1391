// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** If this failed, the share of checksums were no longer found, or not told from none at all. */
class ChecksumsCommandTest {
    @TempDir private Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command =
            HoldfastCommand.commandLine()
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true));

    @Test
    void givenTwoKinds_whenRowsAreInserted_thenTheDearOneHasAShareAndNoneHasNone()
            throws Exception {
        Path json = directory.resolve("figures.json");

        int exitCode =
                command.execute(
                        "checksums",
                        "--rows=40000",
                        "--rounds=1",
                        "--warmup-rounds=0",
                        "--kinds=NONE,LEGACY",
                        "--json=" + json);

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("share of cpu", "by NONE's rate", "17.3 %");
        assertThat(figure(json, "LEGACY.pagesSummed")).isGreaterThan(100);
        assertThat(figure(json, "LEGACY.cpuShare")).isGreaterThan(0.01);
        assertThat(figure(json, "NONE.cpuShare")).isLessThan(0.01);
        assertThat(figure(json, "LEGACY.samples")).isNotNegative();
    }

    @Test
    void givenNoRounds_whenRun_thenTheExitCodeIsTwo() {
        int exitCode = command.execute("checksums", "--rounds=0");

        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains("Out of range");
    }

    private static double figure(Path json, String name) throws Exception {
        return Files.readAllLines(json).stream()
                .filter(line -> line.contains('"' + name + '"'))
                .mapToDouble(
                        line ->
                                Double.parseDouble(
                                        line.substring(line.indexOf(": ") + 2).replace(",", "")))
                .findFirst()
                .orElseThrow();
    }
}
