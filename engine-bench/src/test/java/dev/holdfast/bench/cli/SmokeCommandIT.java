// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** If this failed, the check of the built jars could not be trusted either way. */
class SmokeCommandIT {
    @Test
    void givenThisJdk_whenTheSmokeCommandRuns_thenNothingDiffers() {
        StringWriter out = new StringWriter();

        int exitCode =
                HoldfastCommand.commandLine().setOut(new PrintWriter(out, true)).execute("smoke");

        assertThat(out.toString()).contains("rows=20000").contains("differences=0");
        assertThat(exitCode).isZero();
    }
}
