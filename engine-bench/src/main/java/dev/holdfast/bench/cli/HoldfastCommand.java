// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code holdfast}: names its sub-commands and does nothing without one. */
@Command(
        name = "holdfast",
        description = "Runs workloads, checks and benchmarks of the Holdfast storage engine.",
        subcommands = {
            DemoCommand.class,
            DemoImportCommand.class,
            WorkloadCommand.class,
            WorkloadCrashCommand.class,
            AlternateCommand.class,
            LatchesCommand.class,
            LatchesRunCommand.class,
            FileioCommand.class,
            ChecksumsCommand.class,
            JmhCommand.class,
            SmokeCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well",
            "1:something differed or failed",
            "2:the command line was wrong"
        })
public final class HoldfastCommand implements Runnable {
    @Spec private CommandSpec spec;

    /** Set by picocli, which then shows the help and runs nothing. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this help and ends.")
    boolean isHelpWanted;

    /** Runs one sub-command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new HoldfastCommand());
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing sub-command");
    }
}
