// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.FileMode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The process that {@link ProcessKillIT} kills: opens the store and lets sessions work until then.
 *
 * <p>It writes lines to the pipe: {@code O} before it opens, {@code R} when it is open, then a mark
 * ({@link MarkLines}) before and after each commit.
 */
final class KillChild {
    /** What the store is opened with, in the child and in the parent. */
    static EngineOptions options(FileMode mode) {
        return EngineOptions.builder()
                .poolBytes(4L << 20)
                .redoCapacityBytes(8L << 20)
                .logBufferBytes(1 << 20)
                .fileMode(mode)
                .redoSelfCheck(true)
                .build();
    }

    private final FileOutputStream pipe = new FileOutputStream(FileDescriptor.out);

    private KillChild() {}

    /**
     * Runs until killed.
     *
     * @param args directory, file mode, seed, generation, then for each session how many steps it
     *     has behind it in each generation, as {@code 3,5}
     */
    public static void main(String[] args) throws Exception {
        List<SessionScript> scripts = new ArrayList<>();
        int generation = Integer.parseInt(args[3]);
        for (int i = 4; i < args.length; i++) {
            SessionScript script =
                    new SessionScript(Long.parseLong(args[2]), i - 3, ScriptShape.LARGE);
            script.replay(args[i]);
            script.restart(generation, script.state());
            scripts.add(script);
        }
        new KillChild().run(Path.of(args[0]), FileMode.valueOf(args[1]), scripts);
    }

    private void run(Path directory, FileMode mode, List<SessionScript> scripts)
            throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        tell("O");
        Engine engine = Engine.open(directory, options(mode));
        tell("R");
        List<Thread> threads = new ArrayList<>();
        for (SessionScript script : scripts) {
            Thread thread = new Thread(() -> work(engine, script, failure));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        throw new IllegalStateException("a session failed", failure.get());
    }

    private void work(Engine engine, SessionScript script, AtomicReference<Throwable> failure) {
        try {
            SessionRunner runner = new SessionRunner(engine, new Told(), script.state());
            while (failure.get() == null) {
                runner.run(script.next());
            }
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
        }
    }

    private synchronized void tell(String line) {
        try {
            pipe.write((line + '\n').getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes the steps to the pipe. */
    private final class Told implements StepListener {
        @Override
        public void committing(Step step, Map<Integer, Integer> hotVersions) {
            tell(MarkLines.committing(step, hotVersions));
        }

        @Override
        public void acknowledged(Step step) {
            tell(MarkLines.acknowledged(step));
        }
    }
}
