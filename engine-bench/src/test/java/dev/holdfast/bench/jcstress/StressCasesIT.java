// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, the cases would not be found, or not run, by who believes they are. */
class StressCasesIT {
    private static final String LIST = "/META-INF/TestList";

    @TempDir private Path directory;

    @Test
    void givenTheBuild_whenItsListIsRead_thenItNamesTheCases() throws IOException {
        try (InputStream list = StressCasesIT.class.getResourceAsStream(LIST)) {
            assertThat(list).as("what the annotation processor writes").isNotNull();
            String names = new String(list.readAllBytes(), StandardCharsets.UTF_8);

            assertThat(names)
                    .contains(
                            ExclusiveAgainstExclusive.class.getName(),
                            SharedSeesExclusive.class.getName(),
                            OptimisticReadIsNotTorn.class.getName(),
                            ValidateFailsAfterRelease.class.getName(),
                            UpgradeFromOptimistic.class.getName(),
                            UpdateAgainstShared.class.getName(),
                            UpdateAgainstExclusive.class.getName(),
                            DowngradeToShared.class.getName(),
                            BufferLatchInDirectMemory.class.getName(),
                            SleeperIsWoken.class.getName(),
                            WaitersHandOver.class.getName(),
                            BarrierAdvanceAgainstAwait.class.getName(),
                            StripedCounterSum.class.getName(),
                            GateKeepsItsLimit.class.getName());
        }
    }

    @Test
    @Timeout(300)
    void givenTwoCases_whenRunForAMoment_thenTheyPass() throws Exception {
        Path said = directory.resolve("said.txt");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                "org.openjdk.jcstress.Main",
                                "-m",
                                "sanity",
                                "-jvmArgs",
                                "-Xms32m -Xmx128m",
                                "-t",
                                "OptimisticReadIsNotTorn|SleeperIsWoken",
                                "-r",
                                directory.resolve("results").toString())
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        try {
            assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();

            assertThat(process.exitValue()).as(Files.readString(said)).isZero();
            assertThat(Files.readString(said))
                    .containsPattern("[1-9][0-9]* passed, 0 failed, 0 soft errs, 0 hard errs");
        } finally {
            process.destroyForcibly();
        }
    }
}
