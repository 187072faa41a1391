// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * If this failed, a crash could lose an acknowledged group, join bytes of different laps or epochs,
 * or make the store refuse to open.
 *
 * <p>After each crash the log is a prefix, in the order of the numbers, of what was appended, and
 * holds each group that was acknowledged before, as it was acknowledged.
 */
@ExtendWith(SeedExtension.class)
final class RedoCrashTest {
    /** 64 KiB of ring, 128 KiB of log: it wraps every few dozen groups. */
    private static final RedoOptions OPTIONS = TestLog.options(32, 1 << 16, 1 << 14);

    private static final String BORN = "born";

    /** A promise: the group is on the disk, or with the operating system. */
    private record Ack(long number, int epoch, boolean isDurable) {}

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenAWrappingLog_whenCrashedEverywhere_thenItIsAPrefixWithAllThatWasAcknowledged(
            SeededRandom random) throws IOException {
        int images = SeedExtension.everydayOrSoak(2000, 60_000);

        CrashReport report = crash(record(random, 250), random, images);

        assertThat(report.distinctImages()).as(report.toText()).isGreaterThan(images / 2);
        assertThat(report.lossyImages()).as(report.toText()).isGreaterThan(images / 4);
        assertThat(report.killedThenPowerLost()).as(report.toText()).isPositive();
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .anyMatch(path -> path.contains("oneRecordTorn"))
                .anyMatch(path -> path.contains("empty"))
                .anyMatch(path -> path.contains("epochs=3"));
    }

    @Test
    void givenTransfersInParts_whenCrashedBetweenThem_thenItIsAPrefixAllTheSame(SeededRandom random)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        disk.faults().splitTransfers(random.derive("transfers"));
        run(disk, random, 60);

        // A process that dies between parts of one block takes what the block held before: no
        // system cuts a transfer so, but if one did, WRITE would not survive it.
        CrashReport report =
                new CrashHarness("redo-parts", disk.trace(), random.seed())
                        .images(SeedExtension.everydayOrSoak(500, 10_000))
                        .shrinkTries(20)
                        .run(image -> recoverAndCheck(image, false));

        assertThat(report.lossyImages()).as(report.toText()).isPositive();
    }

    @Test
    void givenAnAcknowledgementBeforeTheSync_whenCrashed_thenItIsNoticed(SeededRandom random)
            throws IOException {
        TestHooks.plant(PlantedFault.ACK_BEFORE_SYNC);
        SimulatedDisk disk = record(random, 60);
        TestHooks.unplant(PlantedFault.ACK_BEFORE_SYNC);

        assertThatThrownBy(() -> crash(disk, random, 2000)).isInstanceOf(AssertionError.class);
    }

    @Test
    void givenAScanThatSkipsHoles_whenCrashed_thenItIsNoticed(SeededRandom random)
            throws IOException {
        SimulatedDisk disk = record(random, 60);
        TestHooks.plant(PlantedFault.LOG_HOLE_SKIPPED);

        assertThatThrownBy(() -> crash(disk, random, 2000)).isInstanceOf(AssertionError.class);
    }

    private static SimulatedDisk record(SeededRandom random, int steps) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        run(disk, random, steps);
        return disk;
    }

    private static CrashReport crash(SimulatedDisk disk, SeededRandom random, int images) {
        return new CrashHarness("redo", disk.trace(), random.seed())
                .images(images)
                .nested(3, 0.1, 0.3, 6)
                .shrinkTries(20)
                .run(RedoCrashTest::recoverAndCheck);
    }

    private static void run(SimulatedDisk disk, SeededRandom random, int steps) throws IOException {
        StorageDirectory directory = disk.directory();
        TestLog log = TestLog.create(directory, OPTIONS);
        disk.mark(BORN);
        long next = 0;
        for (int i = 0; i < steps; i++) {
            next = work(log, disk, random, next);
            if (random.oneIn(25)) {
                // As a killed process would: nothing is flushed, and what it wrote is there.
                log.close();
                log = TestLog.recover(directory, OPTIONS);
                next = checkRecovered(log, List.of());
            }
        }
        log.close();
    }

    /** A few groups, then perhaps a promise, a checkpoint or an idle mark. */
    private static long work(TestLog log, SimulatedDisk disk, SeededRandom random, long from)
            throws IOException {
        long next = from;
        for (int i = random.between(1, 4); i > 0; i--) {
            int length = random.oneIn(8) ? random.nextInt(12_000) : random.nextInt(600);
            long end = log.append(0, next, length);
            int what = random.nextInt(6);
            if (what < 2) {
                log.log.makeDurable(end);
            } else if (what == 2) {
                log.log.makeWritten(end);
            }
            if (what <= 2) {
                disk.mark(new Ack(next, log.log.epoch(), what < 2));
            }
            next++;
            if (log.log.space().age() > OPTIONS.layout().capacityBytes() * 2 / 5) {
                log.checkpoint(next);
            }
        }
        if (random.oneIn(10)) {
            IdleMark mark = new IdleMark(log.log, log.checkpoints);
            mark.run();
            mark.run();
        }
        return next;
    }

    private static String recoverAndCheck(CrashImage image) throws IOException {
        return recoverAndCheck(image, !image.isPowerLoss());
    }

    private static String recoverAndCheck(CrashImage image, boolean writtenSurvives)
            throws IOException {
        List<Object> marks = image.marks();
        if (!marks.contains(BORN)) {
            return "unborn";
        }
        SimulatedDisk disk = image.disk();
        try (TestLog log = TestLog.recover(disk.directory(), OPTIONS)) {
            List<Ack> promises =
                    marks.stream()
                            .filter(Ack.class::isInstance)
                            .map(Ack.class::cast)
                            .filter(ack -> ack.isDurable() || writtenSurvives)
                            .toList();
            long next = checkRecovered(log, promises);
            String path = describe(log);
            // It works again, and what it promises now is checked if this disk is crashed in turn.
            SeededRandom random = new SeededRandom(image.contentHash());
            for (int i = 0; i < 4; i++) {
                next = work(log, disk, random, next);
            }
            return path;
        }
    }

    /** Checks the order and the promises; returns the number that follows. */
    private static long checkRecovered(TestLog log, List<Ack> promises) {
        long first = log.checkpoints.newest().transactionIdHighWater();
        long next = first;
        int epoch = 0;
        Map<Long, Integer> epochs = new HashMap<>();
        for (TestLog.Group group : log.recovered) {
            assertThat(group.number()).isEqualTo(next);
            assertThat(group.epoch()).isGreaterThanOrEqualTo(epoch).isLessThan(log.log.epoch());
            epoch = group.epoch();
            epochs.put(next, epoch);
            next++;
        }
        for (Ack promise : promises) {
            if (promise.number() >= first) {
                assertThat(epochs).containsEntry(promise.number(), promise.epoch());
            }
        }
        return next;
    }

    private static String describe(TestLog log) {
        long epochs = log.recovered.stream().map(TestLog.Group::epoch).distinct().count();
        return (log.recovered.isEmpty() ? "empty" : "epochs=" + Math.min(epochs, 3))
                + (log.checkpoints.oneWasUnreadable() ? ", oneRecordTorn" : "");
    }

    @Test
    void givenAKilledProcess_whenPowerIsLostDuringTheNextOpen_thenWhatItReadIsKept(
            SeededRandom random) throws IOException {
        SimulatedDisk disk = record(random, 40);

        CrashReport report =
                new CrashHarness("redo-killed", disk.trace(), random.seed())
                        .modes(CrashMode.PROCESS_KILLED, CrashMode.RANDOM_SUBSET)
                        .images(SeedExtension.everydayOrSoak(300, 6000))
                        .nested(3, 0.2, 1.0, 10)
                        .shrinkTries(20)
                        .run(RedoCrashTest::recoverAndCheck);

        assertThat(report.killedThenPowerLost()).as(report.toText()).isGreaterThan(100);
    }
}
