// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.CloseMode;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * A run of several sessions on a recording disk, in which all that is rare happens: the trace to be
 * crashed.
 */
final class CrashWorkload {
    private static final int HISTORY_ROWS = 96;
    private static final int HISTORY_VALUE_BYTES = 900;
    private static final long TRUNCATION_NANOS = 30_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;
    private static final int LEFT_AFTER_PAGES = 20;

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final StepListener marks = Mark.on(disk);
    private final Map<Counter, Long> counts = new EnumMap<>(Counter.class);
    private final List<SessionScript> scripts = new ArrayList<>();
    private final int stepsEach;
    private int conversionsLeft;

    /**
     * Prepares a run.
     *
     * @param sessions how many threads work at once
     * @param stepsEach how many steps each session does between two opens of the store
     */
    CrashWorkload(long seed, int sessions, int stepsEach) {
        this.stepsEach = stepsEach;
        for (int session = 1; session <= sessions; session++) {
            scripts.add(new SessionScript(seed, session, ScriptShape.SMALL));
        }
    }

    /** Opens, works, closes in each of the two ways, and works again. */
    SimulatedDisk run() throws Exception {
        try (RigEngine opened = RigEngine.open(disk.directory())) {
            SessionRunner.setUp(opened.engine(), marks);
            work(opened);
            count(opened);
        }
        var clean = RigEngine.options().closeMode(CloseMode.CLEAN).build();
        try (RigEngine opened = RigEngine.open(disk.directory(), clean)) {
            work(opened);
            count(opened);
        }
        try (RigEngine opened = RigEngine.open(disk.directory())) {
            work(opened);
            count(opened);
        }
        return disk;
    }

    /**
     * Makes more history than an undo space keeps, while sessions work, and closes; then, on the
     * disk that is returned, lets purge go through it and the space be cut.
     */
    SimulatedDisk runWithHistory(int updates) throws Exception {
        try (RigEngine opened = RigEngine.open(disk.directory())) {
            // It lasts until the engine is closed.
            Snapshot old = opened.engine().snapshot();
            SessionRunner.setUp(opened.engine(), marks);
            List<Callable<Void>> all = sessions(opened);
            all.add(
                    () -> {
                        makeHistory(opened.engine(), updates);
                        return null;
                    });
            runAll(all);
            old.awaitDurable();
        }
        SimulatedDisk second = disk.crash(CrashMode.ALL_PENDING, 0).disk();
        StepListener secondMarks = Mark.on(second);
        try (RigEngine opened = RigEngine.open(second.directory())) {
            long deadline = System.nanoTime() + TRUNCATION_NANOS;
            while (opened.count(Counter.UNDO_TRUNCATIONS) == 0
                    && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
            SessionScript script = scripts.get(0);
            SessionRunner runner = new SessionRunner(opened.engine(), secondMarks, script.state());
            for (int i = 0; i < stepsEach; i++) {
                runner.run(script.next());
            }
            count(opened);
        }
        return second;
    }

    /**
     * Works while all files get one kind of checksum after the other; one conversion is left to the
     * next open.
     */
    SimulatedDisk runConverting(List<String> kinds) throws Exception {
        boolean isFirst = true;
        for (String kind : kinds) {
            try (RigEngine opened = RigEngine.open(disk.directory())) {
                if (isFirst) {
                    SessionRunner.setUp(opened.engine(), marks);
                }
                isFirst = false;
                List<Callable<Void>> all = sessions(opened);
                all.add(
                        () -> {
                            assertThat(opened.engine().convertChecksums(kind).isComplete())
                                    .isTrue();
                            return null;
                        });
                runAll(all);
                count(opened);
            }
            leaveConversion(kind.equals("NONE") ? "LEGACY" : "NONE");
        }
        try (RigEngine opened = RigEngine.open(disk.directory())) {
            work(opened);
            count(opened);
        }
        return disk;
    }

    /** Begins a conversion, slowly, and closes while it is under way. */
    private void leaveConversion(String kind) throws Exception {
        EngineOptions slow = RigEngine.options().ioCapacity(100).build();
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (RigEngine opened = RigEngine.open(disk.directory(), slow)) {
            Future<?> call = caller.submit(() -> opened.engine().convertChecksums(kind));
            while (opened.count(Counter.SPACE_PAGES_CONVERTED) < LEFT_AFTER_PAGES
                    && !call.isDone()) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
            conversionsLeft += call.isDone() ? 0 : 1;
            count(opened);
        } finally {
            caller.shutdown();
        }
    }

    /** How many conversions a close has interrupted. */
    int conversionsLeft() {
        return conversionsLeft;
    }

    /** One transaction whose before-images fill megabytes; a rig's model never sees its table. */
    private static void makeHistory(Engine engine, int updates) {
        Table table = engine.table("rows.a");
        try (Transaction transaction = engine.begin()) {
            for (int i = 0; i < updates; i++) {
                byte[] key = Keys.bytes("history-" + i % HISTORY_ROWS);
                transaction.put(table, key, Value.of(i, HISTORY_VALUE_BYTES).bytes());
            }
            for (int i = 0; i < HISTORY_ROWS; i++) {
                transaction.delete(table, Keys.bytes("history-" + i));
            }
            transaction.commit(Durability.LAZY);
        }
    }

    private void work(RigEngine opened) throws Exception {
        List<Callable<Void>> all = sessions(opened);
        all.add(
                () -> {
                    opened.engine().checkpoint();
                    return null;
                });
        runAll(all);
    }

    private List<Callable<Void>> sessions(RigEngine opened) {
        List<Callable<Void>> all = new ArrayList<>();
        for (SessionScript script : scripts) {
            SessionRunner runner = new SessionRunner(opened.engine(), marks, script.state());
            all.add(
                    () -> {
                        for (int i = 0; i < stepsEach; i++) {
                            runner.run(script.next());
                        }
                        return null;
                    });
        }
        return all;
    }

    private static void runAll(List<Callable<Void>> all) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            for (Future<Void> ended : threads.invokeAll(all)) {
                ended.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError("a session failed: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdown();
        }
    }

    private void count(RigEngine opened) {
        for (Counter counter : Counter.values()) {
            counts.merge(counter, opened.count(counter), Long::sum);
        }
    }

    /** How often something happened in the run. */
    long count(Counter counter) {
        return counts.getOrDefault(counter, 0L);
    }

    boolean happened(Counter counter) {
        return count(counter) > 0;
    }

    /** How often the log began again at its first byte. */
    long logWraps() {
        return count(Counter.MTR_REDO_BYTES) / RigEngine.REDO_BYTES;
    }

    Map<Counter, Long> counts() {
        return counts;
    }

    SimulatedDisk disk() {
        return disk;
    }
}
