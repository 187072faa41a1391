// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineOptions;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, figures would be of something else than their name says. */
@Timeout(60)
class PhaseRunnerTest {
    private static final long ROWS = 3_500;

    @TempDir private Path directory;
    private WorkloadOptions options;
    private WorkloadStore store;
    private PhaseRunner runner;

    @BeforeEach
    void open() {
        options =
                new WorkloadOptions(
                        ROWS,
                        TimeUnit.MILLISECONDS.toNanos(5),
                        TimeUnit.MILLISECONDS.toNanos(50),
                        1,
                        EngineOptions.builder().pageBytes(4096).build());
        store = WorkloadStore.open(directory, options);
        runner = new PhaseRunner(store, options);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void givenALoad_whenRunByThreeThreads_thenAllRowsAreInOnce() throws Exception {
        Measurement load = runner.run(Phases.parse("load-random@3"));

        Measurement scan = runner.run(Phases.parse("scan-full"));
        assertThat(load.units()).isEqualTo(ROWS);
        assertThat(load.commits()).isEqualTo(4);
        assertThat(scan.units() % ROWS).isZero();
        assertThat(scan.units()).isPositive();
    }

    @Test
    void givenALoadedTable_whenEveryPhaseRuns_thenEachDoesSomething() throws Exception {
        runner.run(Phases.parse(Phases.LOAD_SEQUENTIAL));

        for (String name : Phases.timedNames()) {
            Measurement measured = runner.run(Phases.parse(name + "@2"));

            assertThat(measured.units()).as(name).isPositive();
            assertThat(measured.unitsPerSecond()).as(name).isPositive();
            assertThat(measured.micros(99)).as(name).isPositive();
        }
    }

    @Test
    void givenDurableUpdates_whenMeasured_thenEachCommitIsCountedAndSomeSyncIsToo()
            throws Exception {
        runner.run(Phases.parse(Phases.LOAD_SEQUENTIAL));

        Measurement updates = runner.run(Phases.parse("update-sync@4"));

        assertThat(updates.commits()).isEqualTo(updates.units());
        assertThat(updates.logSyncs()).isPositive();
        assertThat(updates.commitsPerSync()).isGreaterThanOrEqualTo(0.5);
    }

    @Test
    void givenAnEmptyTable_whenReadByManyThreads_thenTheFirstFailureIsThrownAtOnce() {
        Phase phase = Phases.parse("read-random@8");

        assertThatThrownBy(() -> runner.run(phase))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("row read wrong");
    }
}
