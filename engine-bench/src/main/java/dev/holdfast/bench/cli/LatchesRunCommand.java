// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.latch.LatchLoad;
import dev.holdfast.bench.latch.LatchSection;
import dev.holdfast.bench.latch.LatchTurns;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code latches-run}: the JVM of one load and one section; says a line a turn. */
@Command(
        name = LatchesRunCommand.NAME,
        hidden = true,
        description = "Runs the turns of one load for the command latches, which starts it.")
final class LatchesRunCommand implements Callable<Integer> {
    static final String NAME = "latches-run";

    @Option(names = "--load", description = "Left out: waits timed and not.")
    private LatchLoad load;

    @Option(names = "--section", required = true, description = "How long a latch is held.")
    private LatchSection section;

    @Option(names = "--threads", required = true, split = ",", description = "How many run.")
    private List<Integer> threads;

    @Option(names = "--warmup-rounds", required = true, description = "That do not count.")
    private int warmupRounds;

    @Option(names = "--pairs", required = true, description = "Rounds that count.")
    private int rounds;

    @Option(names = "--millis", required = true, description = "Of each turn.")
    private long millis;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        ChildLife.endWithParent();
        LatchTurns turns =
                new LatchTurns(warmupRounds, rounds, TimeUnit.MILLISECONDS.toNanos(millis));
        try (FileOutputStream pipe = new FileOutputStream(FileDescriptor.out);
                PrintStream lines = new PrintStream(pipe, true, StandardCharsets.UTF_8)) {
            LatchTurns.Listener teller =
                    (count, name, perSecond, contended, countNanos) ->
                            lines.printf(
                                    Locale.ROOT,
                                    "%d %s %s %s %s%n",
                                    count,
                                    name,
                                    perSecond,
                                    contended,
                                    countNanos);
            if (load == null) {
                turns.runTimed(section, threads.get(0), teller);
            } else {
                turns.run(load, section, threads, teller);
            }
        }
        return 0;
    }
}
