// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashFailure;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.Trace;
import dev.holdfast.io.sim.TraceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Record once, crash everywhere. If this failed, a crash could lose what was acknowledged, keep
 * part of a transaction, or leave a store that does not open, is unsound, or can't be worked with.
 */
@ExtendWith(SeedExtension.class)
final class EngineCrashTest {
    private static final int SESSIONS = 4;
    private static final int STEPS_EACH = 60;
    private static final int HISTORY_UPDATES = 7500;
    private static final int EVERYDAY_IMAGES = 2000;
    private static final int SOAK_IMAGES = 100_000;
    private static final int EVERYDAY_HISTORY_IMAGES = 150;
    private static final int SOAK_HISTORY_IMAGES = 15_000;
    private static final String TRACE_PROPERTY = "holdfast.trace";

    /** Workloads that are drawn until one is not too tame. */
    private static final int WORKLOADS_MAX = 8;

    /** Those that lose something stand there often, since that is what the engine is made for. */
    private static final CrashMode[] MODES = {
        CrashMode.NOTHING_PENDING,
        CrashMode.ALL_PENDING,
        CrashMode.PREFIX,
        CrashMode.RANDOM_SUBSET,
        CrashMode.RANDOM_SUBSET,
        CrashMode.RANDOM_SUBSET,
        CrashMode.LAST_TORN,
        CrashMode.LAST_TORN,
        CrashMode.LAST_TORN,
        CrashMode.GARBAGE_SECTORS,
        CrashMode.GARBAGE_SECTORS,
        CrashMode.GARBAGE_SECTORS,
        CrashMode.PROCESS_KILLED
    };

    /** What must have happened in the run that is crashed; a run that is too tame proves little. */
    private static final List<Counter> HAPPENED =
            List.of(
                    Counter.LEAF_SPLITS,
                    Counter.ROOT_SPLITS,
                    Counter.PAGE_MERGES,
                    Counter.EMPTY_LEAVES_FREED,
                    Counter.OVERFLOW_PAGES_WRITTEN,
                    Counter.OVERFLOW_PAGES_FREED,
                    Counter.PAGES_WRITTEN,
                    Counter.PAGES_EVICTED,
                    Counter.DOUBLEWRITE_BATCHES,
                    Counter.CHECKPOINTS,
                    Counter.SPACE_PAGES_GROWN,
                    Counter.SPACE_PAGES_FREED,
                    Counter.TABLES_CREATED,
                    Counter.TABLES_DROPPED,
                    Counter.UNDO_LOGS_PURGED,
                    Counter.ROWS_PURGED,
                    Counter.ROLLBACKS,
                    Counter.ROW_LOCK_WAITS,
                    Counter.WRITE_CONFLICTS);

    @Test
    void givenAWorkloadOfEverything_whenCrashedEverywhere_thenTheStoreIsRight(
            SeededRandom random, TestReporter reporter) throws Exception {
        int images = SeedExtension.everydayOrSoak(EVERYDAY_IMAGES, SOAK_IMAGES);
        // Which of the rarer things happen is for the schedule of the threads to say, so workloads
        // are
        // drawn until one has seen them all; that one is crashed.
        CrashWorkload workload = new CrashWorkload(random.seed(), SESSIONS, STEPS_EACH);
        Trace trace = workload.run().trace();
        for (int i = 1; i < WORKLOADS_MAX && !HAPPENED.stream().allMatch(workload::happened); i++) {
            workload = new CrashWorkload(random.derive(i).seed(), SESSIONS, STEPS_EACH);
            trace = workload.run().trace();
        }
        CrashCheck check = new CrashCheck(random.seed(), 4);

        CrashReport report = crash("engine", trace, random, check, images);

        publish(reporter, workload, report);
        assertThat(HAPPENED).as("counts=%s", workload.counts()).allMatch(workload::happened);
        assertThat(workload.logWraps()).isGreaterThan(2);
        assertThat(check.pagesRepaired()).isPositive();
        assertThat(check.reopened()).isPositive();
        assertEnough(report, images);
    }

    @Test
    void givenHistoryThatIsCut_whenCrashedEverywhere_thenTheStoreIsRight(
            SeededRandom random, TestReporter reporter) throws Exception {
        int images = SeedExtension.everydayOrSoak(EVERYDAY_HISTORY_IMAGES, SOAK_HISTORY_IMAGES);
        CrashWorkload workload = new CrashWorkload(random.seed(), 2, 12);
        Trace trace = workload.runWithHistory(HISTORY_UPDATES).trace();
        CrashCheck check = new CrashCheck(random.seed(), 8);

        CrashReport report = crash("history", trace, random, check, images);

        publish(reporter, workload, report);
        assertThat(workload.count(Counter.UNDO_TRUNCATIONS)).isPositive();
        assertThat(workload.count(Counter.SPACE_SHRINKS)).isPositive();
        assertThat(report.distinctImages()).as(report.toText()).isGreaterThan(images / 2);
        assertThat(report.lossyImages()).as(report.toText()).isGreaterThan(report.images() / 2);
    }

    /** Looks again at a crash of a trace that a failure of the first test has kept. */
    @Test
    @EnabledIfSystemProperty(named = TRACE_PROPERTY, matches = ".+")
    void givenAKeptTrace_whenCrashedAsToldAgain_thenTheStoreIsRight(SeededRandom random)
            throws Exception {
        MarkLines lines = new MarkLines(random.seed(), SESSIONS, ScriptShape.SMALL);
        Path file = Path.of(System.getProperty(TRACE_PROPERTY));
        Trace trace = TraceFile.read(file, lines::read);

        CrashReport report =
                new CrashHarness("kept", trace, random.seed())
                        .run(new CrashCheck(random.seed(), 1));

        assertThat(report.images()).isPositive();
    }

    /** For other tests of crashes: the same share of each mode. */
    static CrashMode[] modes() {
        return MODES.clone();
    }

    private static CrashReport crash(
            String name, Trace trace, SeededRandom random, CrashCheck check, int images)
            throws IOException {
        try {
            return new CrashHarness(name, trace, random.seed())
                    .images(images)
                    .modes(MODES)
                    .nested(3, 0.05, 0.25, 4)
                    .threads(2)
                    .shrinkTries(40)
                    .run(check);
        } catch (CrashFailure failure) {
            throw new AssertionError(keep(name, trace, random) + failure.getMessage(), failure);
        }
    }

    private static String keep(String name, Trace trace, SeededRandom random) throws IOException {
        if (!name.equals("engine")) {
            return "";
        }
        Path file = Path.of("target", "crash-images", name + '-' + random.seed() + ".trace");
        TraceFile.write(trace, file, MarkLines::of);
        return "see it again with -D"
                + TRACE_PROPERTY
                + "="
                + file.toAbsolutePath()
                + " -D"
                + SeedExtension.SEED_PROPERTY
                + "="
                + random.seed()
                + " and what follows\n";
    }

    private static void assertEnough(CrashReport report, int images) {
        assertThat(report.distinctImages()).as(report.toText()).isGreaterThanOrEqualTo(images);
        assertThat(report.lossyImages()).as(report.toText()).isGreaterThan(report.images() / 2);
        assertThat(report.killedThenPowerLost()).as(report.toText()).isPositive();
        assertThat(report.imagesOfDepth(2)).as(report.toText()).isPositive();
        assertThat(report.recoveryPaths()).as(report.toText()).hasSizeGreaterThan(6);
    }

    private static void publish(TestReporter reporter, CrashWorkload workload, CrashReport report) {
        reporter.publishEntry("workload", workload.counts().toString());
        reporter.publishEntry("crashes", report.toText());
    }
}
