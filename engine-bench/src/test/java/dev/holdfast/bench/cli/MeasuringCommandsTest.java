// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** If this failed, a wrong call would run something, or a right one end in an error. */
class MeasuringCommandsTest {
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
                "demo --threads=0",
                "demo --files=0",
                "demo --kills=-1",
                "demo --load-seconds=0",
                "demo --page-bytes=5000",
                "demo --file-mode=FAST",
                "workload --phases=nonsense",
                "workload --rows=0",
                "workload -O turbo=1",
                "alternate --phase=nonsense",
                "alternate",
                "alternate --phase=update-sync --rounds=0",
                "alternate --phase=update-sync --warmup-rounds=-1",
                "alternate --phase=update-sync --rounds=2 --lives=3",
                "alternate --phase=update-sync --turn-seconds=0",
                "alternate --phase=update-sync --rows=0",
                "workload --measure-millis=0",
                "alternate --phase=update-sync --jar-a=absent.jar",
                "alternate --phase=update-sync --jar-a=absent.jar --jar-b=absent.jar",
                "latches --pairs=0",
                "latches --threads=0",
                "latches --loads=SOME",
                "jmh --profile=NONE",
                "jmh --threads=x"
            })
    void givenAWrongCall_whenRun_thenTheExitCodeIsTwoAndTheReasonIsSaid(String line) {
        int exitCode = command.execute(line.split(" ", -1));

        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).isNotEmpty();
    }

    @Test
    void givenADirectoryThatIsNotEmpty_whenTheDemoIsToUseIt_thenItIsRefused() throws Exception {
        Files.writeString(directory.resolve("mine"), "precious");

        int exitCode = command.execute("demo", "--directory", directory.toString());

        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains("Directory is not empty");
    }

    @Test
    void givenSomePhases_whenMeasured_thenTableAndFileHaveThem() throws Exception {
        Path file = directory.resolve("figures.json");

        int exitCode =
                command.execute(
                        "workload",
                        "--rows=2000",
                        "--warmup-millis=1",
                        "--measure-millis=20",
                        "--phases=read-random@2,load-random",
                        "--json=" + file);

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("load-seq@1", "read-random@2", "load-random@1");
        assertThat(Files.readString(file))
                .contains("\"read-random@2.unitsPerSecond\"", "\"load-random@1.p99Micros\"");
    }

    @Test
    void givenThreeSettings_whenAlternated_thenTheRatiosToTheFirstAreSaid() {
        int exitCode =
                command.execute(
                        "alternate",
                        "--rows=1000",
                        "--turn-seconds=0.01",
                        "--option=redoCapacityBytes=67108864",
                        "--option=poolBytes=67108864",
                        "--rounds=2",
                        "--lives=1",
                        "--option=ioCapacity=2000",
                        "--warmup-rounds=1",
                        "--phase=update-nosync@2",
                        "--a=timeWaits=OFF",
                        "--b=timeWaits=SAMPLED",
                        "--c=timeWaits=FULL");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("by lives", "{timeWaits=FULL}", "life 1 round 3");
    }

    @Test
    void givenTheLatches_whenComparedForAMoment_thenRatiosTimingAndMemoryAreSaid()
            throws Exception {
        Path file = directory.resolve("latches.json");

        int exitCode =
                command.execute(
                        "latches",
                        "--pairs=1",
                        "--warmup-rounds=0",
                        "--threads=1",
                        "--millis=1",
                        "--loads=READ_ONLY",
                        "--sections=SHORT",
                        "--json=" + file);

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("read-only short @1", "SAMPLED short", "a million");
        assertThat(Files.readString(file))
                .contains(
                        "\"read-only short @1, Latch / ReentrantLock",
                        "\"timing FULL short / OFF, ratio\"",
                        "\"memory.millionLatchesBytes\": 800",
                        "\"goal read-only short @1, Latch / StampedLock\"",
                        "\"commit\"");
    }
}
