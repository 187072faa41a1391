// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.demo.ImportChild;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code demo-import}: the JVM that the demo starts and kills. */
@Command(
        name = "demo-import",
        hidden = true,
        description = "Imports for the demo, which starts it; speaks to it through the output.")
final class DemoImportCommand implements Callable<Integer> {
    @Mixin private DemoStoreOptions store;

    @Option(
            names = "--directory",
            required = true,
            paramLabel = "DIR",
            description = "Where the store is.")
    private Path directory;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        ChildLife.endWithParent();
        try (OutputStream pipe = new FileOutputStream(FileDescriptor.out)) {
            new ImportChild(store.settings(directory), store.source(), store.threads(), pipe).run();
        }
        return 0;
    }
}
