// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Many threads append and want different durability, in a ring that is full all the time.
 *
 * <p>If this failed, a group would be lost or torn, a waiter would sleep for ever, or a thread
 * would be told of durability that is not there.
 */
@ExtendWith(SeedExtension.class)
@Timeout(120)
final class RedoLogStressTest {
    private static final int THREADS = 8;
    private static final RedoOptions OPTIONS = TestLog.options(64, 1 << 16, 1 << 14);

    /** A promise to a writer: the group of that number is on the disk. */
    private record Ack(int writer, long number) {}

    /** What a writer's thread does. */
    private interface Work {
        void run(int writer, SeededRandom random) throws IOException;
    }

    @Test
    void givenManyWriters_whenTheLogWrapsAndCheckpointsRun_thenEachWritersGroupsAreAllFound(
            SeededRandom random) throws Exception {
        MemoryDirectory directory = MemoryDirectory.create();
        int groups = SeedExtension.everydayOrSoak(3000, 100_000);
        long[] durable = new long[THREADS];
        try (TestLog log = TestLog.create(directory, OPTIONS)) {
            AtomicBoolean stop = new AtomicBoolean();
            Thread checkpointer = checkpointer(log, stop);
            inParallel(
                    random,
                    (writer, own) -> durable[writer] = write(log, writer, own, groups, null));
            stop.set(true);
            checkpointer.join();

            assertThat(log.health.cause()).isNull();
            assertThat(log.log.space().granted()).isZero();
            assertThat(log.log.appendLsn()).isGreaterThan(3 * OPTIONS.layout().capacityBytes());
            assertThat(log.counters.sum(Counter.LOG_RING_WAITS)).isPositive();
        }

        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            check(second, durable);
        }
    }

    @Test
    void givenManyWritersOnASimulatedDisk_whenCrashedEverywhere_thenAllThatWasPromisedIsThere(
            SeededRandom random) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            disk.mark("born");
            inParallel(random, (writer, own) -> write(log, writer, own, 20, disk));
        }

        CrashReport report =
                new CrashHarness("redo-threads", disk.trace(), random.seed())
                        .images(SeedExtension.everydayOrSoak(1000, 40_000))
                        .nested(2, 0.1, 0.3, 4)
                        .shrinkTries(10)
                        .run(RedoLogStressTest::recoverAndCheck);

        assertThat(report.lossyImages()).as(report.toText()).isGreaterThan(100);
    }

    @Test
    void givenInterruptedWriters_whenTheyWait_thenNothingFailsAndTheFlagIsKept(SeededRandom random)
            throws Exception {
        AtomicInteger kept = new AtomicInteger();
        try (TestLog log = TestLog.create(MemoryDirectory.create(), OPTIONS)) {
            AtomicBoolean stop = new AtomicBoolean();
            Thread checkpointer = checkpointer(log, stop);
            inParallel(
                    random,
                    (writer, own) -> {
                        for (int i = 0; i < 300; i++) {
                            Thread.currentThread().interrupt();
                            log.log.makeDurable(log.append(writer, i, own.nextInt(3000)));
                            kept.addAndGet(Thread.interrupted() ? 1 : 0);
                        }
                    });
            stop.set(true);
            checkpointer.join();

            assertThat(kept).hasValue(THREADS * 300);
            assertThat(log.health.cause()).isNull();
        }
    }

    @Test
    void givenAWriteThatFails_whenManyWait_thenAllAreToldAndNothingIsWrittenBehindIt(
            SeededRandom random) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            Fault fault = Fault.on(Operation.WRITE, "redo/*").nth(30).error(Fault.IO_ERROR);
            disk.faults().add(fault);
            AtomicInteger told = new AtomicInteger();

            inParallel(
                    random,
                    (writer, own) -> {
                        try {
                            for (int i = 0; i < 10_000; i++) {
                                log.log.makeDurable(log.append(writer, i, own.nextInt(500)));
                            }
                        } catch (EngineFailedException expected) {
                            told.incrementAndGet();
                        }
                    });

            assertThat(told).hasValue(THREADS);
            assertThat(fault.hits()).isEqualTo(1);
            assertThat(log.log.durableLsn()).isLessThanOrEqualTo(log.log.writtenLsn());
            assertThat(disk.trace().describe(disk.eventCount(), 1, 0)).contains("sync ends");
        }
    }

    @Test
    void givenDurableCommitsOfMany_whenTheyWaitForEachOther_thenSyncsAreShared(SeededRandom random)
            throws Exception {
        try (TestLog log = TestLog.create(MemoryDirectory.create(), OPTIONS)) {
            AtomicBoolean stop = new AtomicBoolean();
            Thread checkpointer = checkpointer(log, stop);
            inParallel(
                    random,
                    (writer, own) -> {
                        for (int i = 0; i < 500; i++) {
                            long end = log.append(writer, i, 40);
                            LockSupport.parkNanos(1000);
                            log.log.makeDurable(end);
                        }
                    });
            stop.set(true);
            checkpointer.join();

            assertThat(log.counters.sum(Counter.LOG_SYNCS)).isLessThan(THREADS * 500);
        }
    }

    private static Thread checkpointer(TestLog log, AtomicBoolean stop) {
        Thread thread =
                new Thread(
                        () -> {
                            long half = OPTIONS.layout().capacityBytes() / 2;
                            try {
                                while (!stop.get()) {
                                    if (log.log.space().age() > half) {
                                        log.checkpoint(0);
                                    }
                                    LockSupport.parkNanos(50_000);
                                }
                            } catch (IOException | RuntimeException e) {
                                log.health.fail(e);
                            }
                        },
                        "test-checkpointer");
        thread.start();
        return thread;
    }

    /** Appends with mixed durability; returns the highest number that was promised. */
    private static long write(
            TestLog log, int writer, SeededRandom random, int groups, SimulatedDisk disk) {
        long promised = -1;
        for (int i = 0; i < groups; i++) {
            int length = random.oneIn(20) ? random.nextInt(15_000) : random.nextInt(400);
            long end = log.append(writer, i, disk == null ? length : length / 8);
            int what = random.nextInt(20);
            if (what == 0) {
                log.log.makeDurable(end);
                assertThat(log.log.durableLsn()).isGreaterThanOrEqualTo(end);
                promised = i;
                if (disk != null) {
                    disk.mark(new Ack(writer, i));
                }
            } else if (what == 1) {
                log.log.makeWritten(end);
                assertThat(log.log.writtenLsn()).isGreaterThanOrEqualTo(end);
            }
            assertThat(log.log.closedLsn()).isLessThanOrEqualTo(log.log.appendLsn());
        }
        return promised;
    }

    private static String recoverAndCheck(CrashImage image) throws IOException {
        List<Object> marks = image.marks();
        if (!marks.contains("born")) {
            return "unborn";
        }
        StorageDirectory directory = image.disk().directory();
        try (TestLog log = TestLog.recover(directory, OPTIONS)) {
            long[] durable = new long[THREADS];
            Arrays.fill(durable, -1);
            for (Object mark : marks) {
                if (mark instanceof Ack ack) {
                    durable[ack.writer()] = Math.max(durable[ack.writer()], ack.number());
                }
            }
            check(log, durable);
            return "blocks=" + Long.highestOneBit(log.scanned.blocks());
        }
    }

    /** Each writer's groups follow each other and reach at least to its last promise. */
    private static void check(TestLog log, long[] durable) {
        Map<Integer, Long> last = new HashMap<>();
        for (TestLog.Group group : log.recovered) {
            Long previous = last.put(group.writer(), group.number());
            if (previous != null) {
                assertThat(group.number()).isEqualTo(previous + 1);
            } else if (log.checkpoints.newest().checkpointLsn() == 4096 + 64) {
                assertThat(group.number()).isZero();
            }
        }
        boolean allFromTheStart = log.checkpoints.newest().checkpointLsn() == 4096 + 64;
        for (int writer = 0; writer < durable.length; writer++) {
            Long found = last.get(writer);
            if (found != null || allFromTheStart) {
                assertThat(found == null ? -1 : found).isGreaterThanOrEqualTo(durable[writer]);
            }
        }
    }

    private static void inParallel(SeededRandom random, Work work) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int writer = i;
            SeededRandom own = random.derive(i);
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    work.run(writer, own);
                                } catch (Throwable e) {
                                    failure.compareAndSet(null, e);
                                }
                            },
                            "test-writer-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError("a writer failed", failure.get());
        }
    }
}
