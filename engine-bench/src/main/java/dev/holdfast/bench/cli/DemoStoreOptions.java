// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.FileMode;
import dev.holdfast.bench.demo.SourceSettings;
import dev.holdfast.bench.demo.StoreSettings;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that the demo and the import that it starts share, as a picocli mixin. */
final class DemoStoreOptions {
    @Option(
            names = "--page-bytes",
            paramLabel = "N",
            defaultValue = "16384",
            description = "The page size: 4096 to 65536. Default: ${DEFAULT-VALUE}.")
    private int pageBytes;

    @Option(
            names = "--pool-bytes",
            paramLabel = "N",
            defaultValue = "67108864",
            description = "The memory for pages. Default: ${DEFAULT-VALUE}.")
    private long poolBytes;

    @Option(
            names = "--file-mode",
            paramLabel = "MODE",
            defaultValue = "BUFFERED",
            description = "BUFFERED or DIRECT. Default: ${DEFAULT-VALUE}.")
    private FileMode fileMode;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides the made values, the transactions and their order.")
    private long seed;

    @Option(
            names = "--files",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many files are imported at most. Default: all.")
    private int filesMax;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Threads that import, compare and put load. Default: ${DEFAULT-VALUE}.")
    private int threads;

    StoreSettings settings(Path directory) {
        return new StoreSettings(directory, pageBytes, poolBytes, fileMode);
    }

    SourceSettings source() {
        return new SourceSettings(seed, filesMax);
    }

    int threads() {
        return threads;
    }
}
