// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** How a command starts a JVM of its own, and how that JVM ends when its parent is gone. */
final class ChildLife {
    private static final int ORPHANED = 3;

    private ChildLife() {}

    /** Returns the command line that runs a sub-command in a JVM like this one. */
    static List<String> command(String subCommand) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                HoldfastCommand.class.getName(),
                subCommand);
    }

    /**
     * Halts this JVM once its standard input ends, which the parent holds open and the system
     * closes when the parent dies.
     */
    static void endWithParent() {
        Thread watcher = new Thread(ChildLife::awaitEndOfInput, "parent-watch");
        watcher.setDaemon(true);
        watcher.start();
    }

    private static void awaitEndOfInput() {
        try (InputStream input = new FileInputStream(FileDescriptor.in)) {
            while (input.read() >= 0) {
                // What the parent says is of no interest, only that it lives.
            }
        } catch (IOException parentIsGone) {
            // The same as its end.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
