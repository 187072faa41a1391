// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** If the file were no JSON, nothing could compare two runs. */
class FiguresTest {
    @TempDir private Path directory;

    @Test
    void givenFigures_whenWritten_thenTheFileIsOneFlatObjectInTheirOrder() throws IOException {
        Path file = directory.resolve("figures.json");

        new Figures().set("rows", 7L).set("perSecond", 1.5).set("jdk", "17").writeTo(file);

        assertThat(Files.readString(file))
                .isEqualTo("{\n  \"rows\": 7,\n  \"perSecond\": 1.5,\n  \"jdk\": \"17\"\n}\n");
    }

    @Test
    void givenTextThatJsonMustEscape_whenWritten_thenItIsEscaped() {
        String json = new Figures().set("a\"b", "c\\d\ne").toJson();

        assertThat(json).isEqualTo("{\n  \"a\\\"b\": \"c\\\\d\\u000ae\"\n}\n");
    }

    @Test
    void givenNoFiniteNumber_whenSet_thenItIsRefusedByName() {
        Figures figures = new Figures();

        assertThatThrownBy(() -> figures.set("rate", Double.NaN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name=rate");
    }

    @Test
    void givenTheOption_whenACommandHasRun_thenTheFileIsThereOnlyIfAskedFor() {
        Path file = directory.resolve("asked.json");

        int without = new CommandLine(new Measuring()).execute();
        int with = new CommandLine(new Measuring()).execute("--json", file.toString());

        assertThat(without).isZero();
        assertThat(with).isZero();
        assertThat(file).exists();
    }

    /** Stands for any command that measures. */
    @Command(name = "measuring")
    private static final class Measuring implements Callable<Integer> {
        @Mixin private FiguresOption figures;

        @Override
        public Integer call() throws IOException {
            figures.write(new Figures().set("rows", 1L));
            return 0;
        }
    }
}
