// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.io.sim.SyncOutcome;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** If this failed, what one thread logs would not be found again, or failures would be hidden. */
final class RedoLogTest {
    private static final RedoOptions OPTIONS = TestLog.options(64, 1 << 16, 1 << 14);

    @Test
    void givenANewLog_whenReopenedWithoutAnAppend_thenItIsEmptyAndTheEpochIsTheNext()
            throws IOException {
        MemoryDirectory directory = MemoryDirectory.create();
        try (TestLog first = TestLog.create(directory, OPTIONS)) {
            assertThat(first.log.appendLsn()).isEqualTo(4096 + 64);
            assertThat(first.log.durableLsn()).isEqualTo(4096 + 64);
        }

        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            assertThat(second.recovered).isEmpty();
            assertThat(second.log.epoch()).isEqualTo(2);
            assertThat(second.log.appendLsn()).isEqualTo(4096 + 64);
        }
    }

    @Test
    void givenDurableGroups_whenReopened_thenAllAreFoundAndTheNextEpochBeginsAFreshBlock()
            throws IOException {
        MemoryDirectory directory = MemoryDirectory.create();
        long end = 0;
        try (TestLog first = TestLog.create(directory, OPTIONS)) {
            for (int i = 0; i < 20; i++) {
                end = first.append(0, i, i * 137);
            }
            first.log.makeDurable(end);
            assertThat(first.log.durableLsn()).isGreaterThanOrEqualTo(end);
        }

        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            assertThat(numbers(second)).isEqualTo(LongStream.range(0, 20).boxed().toList());
            assertThat(second.recovered.get(19).endLsn()).isEqualTo(end);
            assertThat(second.log.appendLsn() % Lsn.BLOCK_BYTES).isEqualTo(64);
            assertThat(second.log.appendLsn()).isGreaterThanOrEqualTo(end);
        }
    }

    @Test
    void givenADurableLsn_whenMadeDurableAgain_thenNothingIsWritten() throws IOException {
        try (TestLog log = TestLog.create(MemoryDirectory.create(), OPTIONS)) {
            long end = log.append(0, 0, 10);
            log.log.makeDurable(end);
            long writes = log.counters.sum(Counter.LOG_WRITES);

            log.log.makeDurable(end);
            log.log.makeDurable(0);
            log.log.makeWritten(end);

            assertThat(log.counters.sum(Counter.LOG_WRITES)).isEqualTo(writes);
            assertThat(log.counters.sum(Counter.LOG_SYNCS)).isEqualTo(1);
        }
    }

    @Test
    void givenAnUnsyncedTail_whenMoreIsAppended_thenTheTailIsRewrittenAndNothingIsPadded()
            throws IOException {
        MemoryDirectory directory = MemoryDirectory.create();
        long end = 0;
        try (TestLog log = TestLog.create(directory, OPTIONS)) {
            for (int i = 0; i < 5; i++) {
                end = log.append(0, i, 100);
                log.log.makeWritten(end);
                assertThat(log.log.writtenLsn()).isEqualTo(end);
            }
            assertThat(log.log.appendLsn()).isEqualTo(end);
            assertThat(log.log.durableLsn()).isEqualTo(4096 + 64);
            assertThat(log.counters.sum(Counter.LOG_SYNCS)).isZero();
        }

        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            assertThat(numbers(second)).containsExactly(0L, 1L, 2L, 3L, 4L);
            assertThat(second.scanned.recoveredEndLsn()).isEqualTo(end);
            assertThat(second.scanned.blocks()).isEqualTo(1);
        }
    }

    @Test
    void givenSyncs_whenEachHasWritten_thenNoBlockIsWrittenTwice() throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 10; i++) {
                long end = log.append(0, i, i * 500);
                log.log.makeDurable(end);
                long border = Lsn.borderAtOrAfter(Lsn.toPayload(end));
                assertThat(log.log.appendLsn()).isEqualTo(Lsn.fromPayload(border));
            }

            long blocks = log.log.appendLsn() / Lsn.BLOCK_BYTES - 1;
            assertThat(log.counters.sum(Counter.LOG_BLOCKS_WRITTEN)).isEqualTo(blocks);
        }
    }

    @Test
    void givenNobodyWhoLeads_whenTheRingIsFull_thenTheAppenderWritesAndGoesOn() throws IOException {
        MemoryDirectory directory = MemoryDirectory.create();
        int count = 40;
        try (TestLog log = TestLog.create(directory, OPTIONS)) {
            for (int i = 0; i < count; i++) {
                log.append(0, i, 4000);
            }
            assertThat(log.counters.sum(Counter.LOG_RING_WAITS)).isPositive();
            assertThat(log.counters.sum(Counter.LOG_SYNCS)).isZero();
            log.log.makeDurable(log.log.closedLsn());
        }

        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            assertThat(numbers(second)).isEqualTo(LongStream.range(0, count).boxed().toList());
        }
    }

    @Test
    void givenGroupsOfAllLengths_whenTheLogWrapsManyTimes_thenTheNewestAreFound()
            throws IOException {
        MemoryDirectory directory = MemoryDirectory.create();
        long next = 0;
        try (TestLog log = TestLog.create(directory, OPTIONS)) {
            while (log.log.appendLsn() < 10 * OPTIONS.layout().capacityBytes()) {
                log.append(0, next, (int) (next * 7919 % 16_000));
                next++;
                if (log.log.space().age() > OPTIONS.layout().capacityBytes() / 2) {
                    log.checkpoint(next);
                }
            }
            log.log.makeDurable(log.log.closedLsn());
        }

        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            long first = second.checkpoints.newest().transactionIdHighWater();
            assertThat(numbers(second)).isEqualTo(LongStream.range(first, next).boxed().toList());
        }
    }

    @Test
    void givenAFailedWrite_whenMadeDurable_thenTheEngineFailsAndNothingIsWrittenAgain()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            Fault fault = Fault.on(Operation.WRITE, "redo/*").error(Fault.IO_ERROR);
            disk.faults().add(fault);
            long end = log.append(0, 0, 10);

            assertOutcomeUnknown(log, end);

            int events = disk.eventCount();
            assertThat(fault.hits()).isEqualTo(1);
            assertThat(log.health.failed()).isTrue();
            assertOutcomeUnknown(log, end);
            assertThatThrownBy(() -> log.log.makeWritten(end))
                    .isInstanceOf(EngineFailedException.class);
            assertThat(disk.eventCount()).isEqualTo(events);
            assertThat(log.log.durableLsn()).isEqualTo(4096 + 64);
        }
    }

    @Test
    void givenAFailedSync_whenMadeDurable_thenItIsNotTriedAgain() throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            disk.faults().add(Fault.on(Operation.SYNC, "redo/*").sync(SyncOutcome.NEVER_DURABLE));
            long end = log.append(0, 0, 10);

            assertOutcomeUnknown(log, end);

            int events = disk.eventCount();
            assertOutcomeUnknown(log, end);
            assertThat(disk.eventCount()).isEqualTo(events);
        }
    }

    @Test
    void givenAFailedEngine_whenTheRingIsFull_thenTheAppenderIsTold() throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            disk.faults().add(Fault.on(Operation.WRITE, "redo/*").error(Fault.NO_SPACE));

            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 40; i++) {
                                    log.append(0, i, 4000);
                                }
                            })
                    .isInstanceOf(EngineFailedException.class)
                    .hasMessageContaining("No space left on device");
        }
    }

    @Test
    void givenALogThatWouldOverwriteTheCheckpoint_whenWritten_thenTheEngineFailsInstead()
            throws IOException {
        try (TestLog log = TestLog.create(MemoryDirectory.create(), OPTIONS)) {
            RedoWriter group = log.group(0, 0, 8000);

            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 40; i++) {
                                    long position = log.log.reserve(group.length());
                                    log.log.copyAndPublish(position, group);
                                }
                            })
                    .isInstanceOf(EngineFailedException.class);

            assertThat(log.health.cause())
                    .hasMessageContaining("does not overwrite what recovery needs");
        }
    }

    @Test
    void givenAMissingOrShortSegment_whenOpened_thenItIsNamed() throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        TestLog.create(disk.directory(), OPTIONS).close();

        disk.directory().open("redo/002.hfl").truncate(8192);
        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("redo/002.hfl")
                .hasMessageContaining("length=8192");

        disk.directory().delete("redo/002.hfl");
        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("redo segment is missing");
    }

    @Test
    void givenLazyGroups_whenTheFlusherRuns_thenTheyAreDurableAndAnIdleRoundDoesNothing()
            throws IOException {
        try (TestLog log = TestLog.create(MemoryDirectory.create(), OPTIONS)) {
            LazyFlusher flusher = new LazyFlusher(log.log);
            long end = log.append(0, 0, 10);

            assertThat(flusher.run()).isFalse();
            flusher.run();

            assertThat(log.log.durableLsn()).isGreaterThanOrEqualTo(end);
            assertThat(log.counters.sum(Counter.LOG_SYNCS)).isEqualTo(1);
        }
    }

    @Test
    void givenAnIdleLog_whenTheMarkRunsTwice_thenTheRecordVouchesForTheLastBlock()
            throws IOException {
        try (TestLog log = TestLog.create(MemoryDirectory.create(), OPTIONS)) {
            IdleMark mark = new IdleMark(log.log, log.checkpoints);
            log.log.makeDurable(log.append(0, 0, 10));

            mark.run();
            long whileBusy = log.checkpoints.newest().durableThrough();
            mark.run();
            long sequence = log.checkpoints.newest().sequence();
            mark.run();

            assertThat(whileBusy).isEqualTo(4096 + 64);
            assertThat(log.checkpoints.newest().durableThrough()).isEqualTo(2 * 4096 + 64);
            assertThat(log.checkpoints.newest().sequence()).isEqualTo(sequence);
        }
    }

    private static List<Long> numbers(TestLog log) {
        return log.recovered.stream().map(TestLog.Group::number).toList();
    }

    private static void assertOutcomeUnknown(TestLog log, long lsn) {
        assertThatThrownBy(() -> log.log.makeDurable(lsn))
                .isInstanceOfSatisfying(
                        EngineFailedException.class, e -> assertThat(e.isOutcomeUnknown()).isTrue())
                .hasMessageContaining("durableLsn=4160")
                .hasCauseInstanceOf(IOException.class);
    }
}
