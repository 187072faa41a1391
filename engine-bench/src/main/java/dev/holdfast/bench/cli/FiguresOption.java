// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option {@code --json}, which all commands that measure share as a picocli mixin. */
public final class FiguresOption {
    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Writes the figures to this file as one JSON object.")
    private Path file;

    /** Writes the figures if the option was given. */
    public void write(Figures figures) throws IOException {
        if (file != null) {
            figures.writeTo(file);
        }
    }
}
