// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.VerboseMode;

/** If this failed, a benchmark had ceased to work while nobody ran it. */
class BenchmarkSmokeTest {
    @Test
    void givenEveryBenchmark_whenRunForAMoment_thenEachHasAFigureAndItsAllocation()
            throws Exception {
        System.setProperty("jmh.ignoreLock", "true");

        Collection<RunResult> results =
                new Runner(
                                JmhProfile.SMOKE
                                        .options("dev.holdfast.bench.jmh", 1)
                                        .forks(0)
                                        .param("section", "SHORT")
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();

        assertThat(results).hasSizeGreaterThanOrEqualTo(43);
        for (RunResult result : results) {
            assertThat(result.getPrimaryResult().getScore()).isPositive();
            assertThat(result.getSecondaryResults()).containsKey("gc.alloc.rate.norm");
        }
    }
}
