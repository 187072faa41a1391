// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.AppendLog.Bug;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The harness itself: a checker that was never seen to fail checks nothing, so a right program must
 * pass and each wrong one must be found.
 */
final class CrashHarnessCrashTest {
    private static final Set<Bug> NO_BUGS = Set.of();

    @TempDir private Path keptImages;

    @BeforeEach
    void keepImagesApart() {
        System.setProperty(CrashFailure.KEEP_PROPERTY, keptImages.toString());
    }

    @AfterEach
    void keepImagesAsBefore() {
        System.clearProperty(CrashFailure.KEEP_PROPERTY);
    }

    @Test
    void givenARightProgram_whenCrashedEverywhere_thenItPassesAndTheFiguresAreTold()
            throws IOException {
        Trace trace = workload(NO_BUGS, 40);

        CrashReport report =
                new CrashHarness("append", trace, 7)
                        .images(1000)
                        .nested(3, 0.2, 0.5, 4)
                        .threads(2)
                        .run(image -> check(image, NO_BUGS));

        assertThat(report.images()).isGreaterThan(800);
        assertThat(report.distinctImages()).isGreaterThan(300);
        assertThat(report.lossyImages()).isGreaterThan(report.images() / 3);
        assertThat(report.killedThenPowerLost()).isGreaterThan(20);
        assertThat(report.imagesOfDepth(2)).isGreaterThan(50);
        assertThat(report.imagesOfDepth(3)).isPositive();
        assertThat(report.recoveryPaths()).containsKeys("absent", "whole", "cut");
        for (CrashMode mode : CrashMode.values()) {
            assertThat(report.imagesOf(mode)).as("mode=%s", mode).isPositive();
        }
        assertThat(report.toText()).contains("distinct=" + report.distinctImages());
    }

    @ParameterizedTest
    @EnumSource(Bug.class)
    void givenAPlantedBug_whenCrashedEverywhere_thenItIsFoundAndReplayed(Bug bug)
            throws IOException {
        Trace trace = workload(Set.of(bug), 40);
        CrashHarness harness = new CrashHarness("append", trace, 7).nested(2, 0.2, 0.5, 8);

        CrashFailure failure =
                catchThrowableOfType(
                        CrashFailure.class, () -> harness.run(image -> check(image, Set.of(bug))));

        assertThat(failure).as("bug=%s", bug).isNotNull();
        assertThat(failure).hasMessageContaining("workloadSeed=7").hasMessageContaining("losses");
        assertThatThrownBy(
                        () -> harness.replay(failure.crashes(), image -> check(image, Set.of(bug))))
                .isInstanceOf(CrashFailure.class);
        assertThat(keptImages).isNotEmptyDirectory();
    }

    @Test
    void givenOneSeed_whenRunTwice_thenTheFiguresAreTheSame() throws IOException {
        Trace trace = workload(NO_BUGS, 40);

        CrashReport first =
                new CrashHarness("a", trace, 7).images(300).run(image -> check(image, NO_BUGS));
        CrashReport second =
                new CrashHarness("a", trace, 7).images(300).run(image -> check(image, NO_BUGS));
        CrashReport other =
                new CrashHarness("a", trace, 8).images(300).run(image -> check(image, NO_BUGS));

        assertThat(second.recoveryPaths()).isEqualTo(first.recoveryPaths());
        assertThat(second.distinctImages()).isEqualTo(first.distinctImages());
        assertThat(other.recoveryPaths()).isNotEqualTo(first.recoveryPaths());
    }

    @Test
    void givenMorePointsThanWanted_whenSampled_thenTheLimitHoldsAndAllPartsAreReached()
            throws IOException {
        Trace trace = workload(NO_BUGS, 400);
        Set<Integer> points = ConcurrentHashMap.newKeySet();

        new CrashHarness("append", trace, 7)
                .points(100)
                .images(500)
                .nested(1, 0, 0, 0)
                .run(
                        image -> {
                            points.add(image.where().point());
                            return check(image, NO_BUGS);
                        });

        assertThat(points.size()).isBetween(50, 100);
        assertThat(points).anyMatch(point -> point < trace.eventCount() / 4);
        assertThat(points).anyMatch(point -> point > trace.eventCount() * 3 / 4);
    }

    @Test
    void givenMarksWithoutIo_whenCrashedEverywhere_thenTheSameBytesAreCheckedForEach()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        for (int i = 0; i < 10; i++) {
            disk.mark(i);
        }
        Set<Integer> markCounts = ConcurrentHashMap.newKeySet();

        CrashReport report =
                new CrashHarness("marks", disk.trace(), 7)
                        .run(
                                image -> {
                                    markCounts.add(image.markCount());
                                    return "empty";
                                });

        assertThat(markCounts).hasSize(11);
        assertThat(report.distinctImages()).isEqualTo(1);
    }

    @Test
    void givenAFailureThatNeedsOneLoss_whenSimplified_thenThatOneIsTold() throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        StorageFile file = TestBytes.createSynced(disk.directory(), "a", 1 << 16, 1);
        for (long i = 0; i < 64; i++) {
            file.write(i * 1024, TestBytes.filled(1024, 2));
        }
        disk.mark("acknowledged without a sync");
        RecoverAndCheck check =
                image -> {
                    if (image.markCount() > 0) {
                        assertThat(image.disk().contents("a", 20 * 1024, 1)).containsOnly(2);
                    }
                    return "whole";
                };
        CrashHarness harness = new CrashHarness("one loss", disk.trace(), 7);

        CrashFailure failure =
                catchThrowableOfType(
                        CrashFailure.class,
                        () -> harness.replay(disk.eventCount() + ":RANDOM_SUBSET:17", check));

        assertThat(failure).hasMessageContaining("a: position=20480, length=1024: LOST");
        assertThat(failure.getMessage().lines().filter(line -> line.contains(": LOST"))).hasSize(1);
    }

    private static Trace workload(Set<Bug> bugs, int appends) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        try (AppendLog log = AppendLog.open(disk, bugs)) {
            for (long i = 0; i < appends; i++) {
                log.append(2 * i + 1, 2 * i + 2);
            }
        }
        return disk.trace();
    }

    /** What is there is a prefix of what was appended, and all that was acknowledged is in it. */
    private static String check(CrashImage image, Set<Bug> bugs) throws IOException {
        boolean isThere = image.disk().directory().exists("log");
        try (AppendLog log = AppendLog.open(image.disk(), bugs)) {
            List<Long> values = log.values();
            List<Object> marks = image.marks();
            long acknowledged = marks.isEmpty() ? 0 : (Long) marks.get(marks.size() - 1);
            long[] prefix = LongStream.rangeClosed(1, values.size()).toArray();
            assertThat(values).isEqualTo(LongStream.of(prefix).boxed().toList());
            assertThat(values.size()).isGreaterThanOrEqualTo((int) acknowledged);
            log.append(values.size() + 1, values.size() + 2);
        }
        if (!isThere) {
            return "absent";
        }
        return image.isLossy() ? "cut" : "whole";
    }
}
