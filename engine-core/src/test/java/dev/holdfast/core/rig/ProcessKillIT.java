// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.CloseMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.FileMode;
import dev.holdfast.core.rig.StoreCheck.Found;
import dev.holdfast.core.rig.StoreModel.Loss;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process with an engine is killed at a random moment, again and again over one store on real
 * files. If this failed, the death of a process could lose what was acknowledged or leave part of a
 * transaction.
 */
@ExtendWith(SeedExtension.class)
final class ProcessKillIT {
    private static final int SESSIONS = 4;
    private static final int KILLED = 137;

    @TempDir Path temporary;

    private final List<Object> marks = new ArrayList<>();

    private MarkLines lines;
    private int acknowledged;
    private int killedInOpen;

    @ParameterizedTest
    @EnumSource
    void givenAProcessThatWorks_whenKilledManyTimes_thenWhatItAcknowledgedIsThere(
            FileMode mode, SeededRandom random, TestReporter reporter) throws Exception {
        int rounds = SeedExtension.everydayOrSoak(10, 100);
        Path store = temporary.resolve("store");
        long seed = random.seed();
        begin(store, mode, seed);

        for (int round = 0; round < rounds; round++) {
            killOnce(store, mode, seed, random);
            check(store, mode, random);
        }

        reporter.publishEntry(
                "kills",
                rounds
                        + " of a process with "
                        + mode
                        + " files, "
                        + killedInOpen
                        + " while it opened, "
                        + acknowledged
                        + " steps acknowledged");
        assertThat(acknowledged).isGreaterThan(rounds * 2);
    }

    private void begin(Path store, FileMode mode, long seed) {
        lines = new MarkLines(seed, SESSIONS, ScriptShape.LARGE);
        StepListener listener =
                new StepListener() {
                    @Override
                    public void committing(Step step, Map<Integer, Integer> hotVersions) {
                        marks.add(new Mark.Committing(step, hotVersions));
                    }

                    @Override
                    public void acknowledged(Step step) {
                        marks.add(new Mark.Acknowledged(step));
                    }
                };
        try (Engine engine = Engine.open(store, KillChild.options(mode))) {
            SessionRunner.setUp(engine, listener);
        }
    }

    private void killOnce(Path store, FileMode mode, long seed, SeededRandom random)
            throws IOException, InterruptedException {
        Path errors = temporary.resolve("errors-" + lines.generation());
        Process child = start(store, mode, seed, errors);
        boolean inOpen = random.oneIn(4);
        int delayMillis = inOpen ? random.nextInt(100) : random.between(50, 1000);
        try (BufferedReader pipe =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
            Thread killer = null;
            for (String line = pipe.readLine(); line != null; line = pipe.readLine()) {
                if (line.equals(inOpen ? "O" : "R")) {
                    killer = kill(child, delayMillis);
                }
                if (MarkLines.isMark(line)) {
                    Mark mark = lines.read(line);
                    marks.add(mark);
                    acknowledged += mark instanceof Mark.Acknowledged ? 1 : 0;
                }
            }
            assertThat(killer).as("child ended by itself: %s", text(errors)).isNotNull();
            killer.join();
        } finally {
            end(child);
        }
        assertThat(child.waitFor()).as("exit code: %s", text(errors)).isEqualTo(KILLED);
        killedInOpen += inOpen ? 1 : 0;
    }

    private Process start(Path store, FileMode mode, long seed, Path errors) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-ea");
        command.add("-Xmx256m");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(KillChild.class.getName());
        command.add(store.toString());
        command.add(mode.name());
        command.add(Long.toString(seed));
        command.add(Integer.toString(lines.generation()));
        command.addAll(lines.histories());
        return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    }

    /** By its handle, since the process's own method closes the pipe, and what is in it is lost. */
    private static void end(Process child) {
        child.toHandle().destroyForcibly();
    }

    /** Kills the child when the time has come; nothing else ends it. */
    private static Thread kill(Process child, int delayMillis) {
        Thread killer =
                new Thread(
                        () -> {
                            try {
                                child.waitFor(delayMillis, TimeUnit.MILLISECONDS);
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            } finally {
                                end(child);
                            }
                        },
                        "killer");
        killer.start();
        return killer;
    }

    private void check(Path store, FileMode mode, SeededRandom random) {
        EngineOptions options =
                KillChild.options(mode).toBuilder()
                        .closeMode(random.nextBoolean() ? CloseMode.CLEAN : CloseMode.FAST)
                        .build();
        StoreModel model = StoreModel.of(marks, Loss.PROCESS);
        try (Engine engine = Engine.open(store, options)) {
            Found found = StoreCheck.check(engine, model);
            StoreCheck.verify(engine);
            marks.add(new Mark.Recovered(found.steps()));
            lines.recovered(found.steps());
        }
    }

    private static String text(Path errors) throws IOException {
        File file = errors.toFile();
        return file.exists() ? Files.readString(errors) : "no output";
    }
}
