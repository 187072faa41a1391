// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.CloseMode;
import dev.holdfast.EngineOptions;
import dev.holdfast.FileMode;
import java.nio.file.Path;
import java.util.List;

/**
 * What parent and child must agree on to open one store.
 *
 * @param directory where the store is
 * @param pageBytes its page size
 * @param poolBytes the memory for pages
 * @param fileMode how its files are read and written
 */
public record StoreSettings(Path directory, int pageBytes, long poolBytes, FileMode fileMode) {
    static final String FILES = "files";
    static final String BATCHES = "batches";
    static final String ACCOUNTS = "accounts";

    /**
     * Refuses what no engine can be opened with.
     *
     * @throws IllegalArgumentException that names the option and its limit
     */
    public void check() {
        options(CloseMode.CLEAN);
    }

    EngineOptions options(CloseMode closeMode) {
        return EngineOptions.builder()
                .pageBytes(pageBytes)
                .poolBytes(poolBytes)
                .fileMode(fileMode)
                .closeMode(closeMode)
                .build();
    }

    /** Returns them as the options of a command line. */
    List<String> arguments() {
        return List.of(
                "--directory=" + directory,
                "--page-bytes=" + pageBytes,
                "--pool-bytes=" + poolBytes,
                "--file-mode=" + fileMode);
    }
}
