// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.CloseMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.core.db.EngineAssembly;
import dev.holdfast.core.db.EngineProbe;
import dev.holdfast.core.recovery.RecoveryReport;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.StorageDirectory;
import java.time.Duration;

/** An engine over a simulated disk, with a look at what it counts. */
final class RigEngine implements AutoCloseable {
    static final int PAGE_BYTES = 4096;
    static final int FRAMES = 64;
    static final int REDO_BYTES = 512 << 10;

    private final Engine engine;
    private final boolean dropsResumed;

    private RigEngine(Engine engine) {
        this.engine = engine;
        this.dropsResumed = count(Counter.TABLES_DROPPED) > 0;
    }

    /** Whether a drop that a crash had interrupted was ended by the open. */
    boolean dropsResumed() {
        return dropsResumed;
    }

    /** The smallest that there is: everything that is rare in a big engine happens all the time. */
    static EngineOptions.Builder options() {
        return EngineOptions.builder()
                .pageBytes(PAGE_BYTES)
                .poolBytes((long) FRAMES * PAGE_BYTES)
                .poolShards(1)
                .redoCapacityBytes(REDO_BYTES)
                .logFlushInterval(Duration.ofMillis(10))
                .lockWaitTimeout(Duration.ofSeconds(20))
                .closeMode(CloseMode.FAST)
                .redoSelfCheck(true);
    }

    static RigEngine open(StorageDirectory directory) {
        return open(directory, options().build());
    }

    static RigEngine open(StorageDirectory directory, EngineOptions options) {
        return new RigEngine(EngineAssembly.open(directory, options));
    }

    Engine engine() {
        return engine;
    }

    long count(Counter counter) {
        return EngineProbe.counters(engine).sum(counter);
    }

    /** Pages that the open restored from doublewrite copies. */
    int pagesRepaired() {
        return EngineProbe.recovery(engine).map(RecoveryReport::pagesRepaired).orElse(0);
    }

    /** A few words for what the open had to do. */
    String recoveryPath() {
        RecoveryReport report = EngineProbe.recovery(engine).orElse(null);
        if (report == null) {
            return "created";
        }
        if (report.wasClosedCleanly()) {
            return "clean";
        }
        StringBuilder words = new StringBuilder();
        words.append(report.groups() == 0 ? "nothing" : "replayed");
        words.append(report.recordsApplied() > 0 ? " applied" : "");
        words.append(report.recordsSkipped() > 0 ? " skipped" : "");
        words.append(report.pagesRepaired() > 0 ? " repaired" : "");
        words.append(EngineProbe.losersLeft(engine) > 0 ? " inBackground" : "");
        return words.toString();
    }

    @Override
    public void close() {
        engine.close();
    }
}
