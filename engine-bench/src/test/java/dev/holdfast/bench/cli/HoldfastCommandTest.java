// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** If this failed, scripts could not tell a wrong call from a failed run. */
class HoldfastCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final CommandLine command =
            HoldfastCommand.commandLine()
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true));

    @Test
    void givenHelp_whenRun_thenUsageGoesToOutAndTheExitCodeIsZero() {
        int exitCode = command.execute("--help");

        assertThat(exitCode).isZero();
        assertThat(out.toString()).contains("Usage: holdfast");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void givenNoSubCommand_whenRun_thenTheExitCodeIsTwo() {
        int exitCode = command.execute();

        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains("Missing sub-command");
    }

    @Test
    void givenAnUnknownSubCommand_whenRun_thenTheExitCodeIsTwo() {
        int exitCode = command.execute("nonsense");

        assertThat(exitCode).isEqualTo(2);
    }
}
