// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.FileMode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main job in small: if it failed, the engine would lose what it had acknowledged. */
class DemoIT {
    @TempDir private Path directory;

    @Test
    void givenASmallImport_whenKilledTwice_thenNothingIsLost() throws Exception {
        StoreSettings store =
                new StoreSettings(directory.resolve("store"), 4096, 8 << 20, FileMode.BUFFERED);
        DemoOptions options = new DemoOptions(store, new SourceSettings(11, 2_000), 3, 2, 1);
        StringWriter progress = new StringWriter();

        DemoResult result = new Demo(options, command(), new PrintWriter(progress, true)).run();

        assertThat(result.differences().texts()).as(progress.toString()).isEmpty();
        assertThat(result.kills()).isBetween(1, 3);
        assertThat(result.rows()).isEqualTo(2_007);
        assertThat(result.importCommitsPerSync()).isPositive();
        assertThat(result.hitRatio()).isBetween(0.0, 1.0);
        assertThat(result.status()).contains("BUFFER POOL");
    }

    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.holdfast.bench.cli.HoldfastCommand",
                "demo-import");
    }
}
