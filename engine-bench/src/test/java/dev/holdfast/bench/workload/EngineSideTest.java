// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.EngineOptions;
import dev.holdfast.WaitTiming;
import dev.holdfast.core.watch.CoreSites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If this failed, a turn would not find its rows, or leave its store behind. */
@Timeout(60)
class EngineSideTest {
    @TempDir private Path directory;
    private final List<Path> made = new ArrayList<>();

    private final LiveSide.Directories stores =
            new LiveSide.Directories() {
                @Override
                public Path make() throws IOException {
                    made.add(Files.createTempDirectory(directory, "store-"));
                    return made.get(made.size() - 1);
                }

                @Override
                public void remove(Path store) throws IOException {
                    try (Stream<Path> paths = Files.walk(store)) {
                        for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
                            Files.delete(each);
                        }
                    }
                }
            };

    /** A load is exhausted once its rows are in: so each of its turns has a store of its own. */
    @ParameterizedTest
    @CsvSource({"update-nosync@2, 2", "read-random, 2", "load-random, 4"})
    void givenTwoLivesOfTwoTurns_whenLived_thenEachTurnWorksAndNoStoreStays(
            String phase, int storesMade) throws Exception {
        EngineSide side = new EngineSide(options(), Phases.parse(phase), stores);

        for (int life = 0; life < 2; life++) {
            side.begin();
            for (int turn = 0; turn < 2; turn++) {
                assertThat(side.turn().unitsPerSecond()).isPositive();
                side.settle();
            }
            side.end();
        }

        assertThat(made).hasSize(storesMade);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void givenSidesThatDifferInTheTimingOfWaits_whenTheyTakeTurns_thenEachHasItsOwnOnOneStore()
            throws Exception {
        WorkloadOptions timed = timed(WaitTiming.FULL);
        EngineSide side =
                new EngineSide(timed(WaitTiming.OFF), Phases.parse("read-random"), stores);
        assertThat(side.sharesStoreWith(timed)).isTrue();
        assertThat(side.sharesStoreWith(options())).isFalse();
        EngineSide beside = side.beside(timed);
        beside.begin();
        side.begin();

        beside.turn();
        assertThat(timing()).isEqualTo("FULL");
        side.turn();
        assertThat(timing()).isEqualTo("OFF");

        side.end();
        beside.end();
        assertThat(made).hasSize(1);
    }

    private static String timing() {
        return CoreSites.CATALOG.counters().timing().name();
    }

    private static WorkloadOptions timed(WaitTiming timing) {
        return new WorkloadOptions(
                2_500,
                0,
                TimeUnit.MILLISECONDS.toNanos(5),
                1,
                EngineOptions.builder().pageBytes(8192).timeWaits(timing).build());
    }

    @Test
    void givenALifeThatNeverBegan_whenEnded_thenNothingHappens() throws Exception {
        EngineSide side = new EngineSide(options(), Phases.parse("scan-full"), stores);

        side.end();

        assertThat(made).isEmpty();
    }

    private static WorkloadOptions options() {
        return new WorkloadOptions(
                2_500,
                0,
                TimeUnit.MILLISECONDS.toNanos(5),
                1,
                EngineOptions.builder().pageBytes(4096).build());
    }
}
