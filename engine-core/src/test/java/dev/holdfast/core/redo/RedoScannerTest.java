// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** If this failed, damage would be taken for a torn tail, or a torn tail for damage. */
final class RedoScannerTest {
    private static final RedoOptions OPTIONS = TestLog.options(64, 1 << 16, 1 << 14);
    private static final byte[] NOISE = new SeededRandom(1).bytes(700);

    private final SimulatedDisk disk = SimulatedDisk.create();

    @Test
    void givenABadBlockAboveAllProofs_whenScanned_thenTheLogEndsThereWhateverFollows()
            throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 10; i++) {
                log.append(0, i, 4100);
                log.log.makeWritten(log.log.closedLsn());
            }
        }

        damageBlock(5);

        try (TestLog second = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(second)).containsExactly(0L, 1L, 2L);
        }
    }

    @Test
    void givenAHole_whenNewGroupsReachTheOldBlocksBehindIt_thenTheyNeverJoin() throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 10; i++) {
                log.append(0, i, 3960);
            }
            log.log.makeWritten(log.log.closedLsn());
        }
        damageBlock(4);
        try (TestLog second = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(second)).containsExactly(0L, 1L, 2L);
            // Ends exactly where an old block of the first epoch, sound and with the right LSN,
            // begins.
            second.append(0, 3, 3960);
            second.log.makeDurable(second.log.closedLsn());
        }

        try (TestLog third = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(third)).containsExactly(0L, 1L, 2L, 3L);
            assertThat(third.recovered.get(3).epoch()).isEqualTo(2);
        }
    }

    @Test
    void givenABadBlockBelowALaterBlocksProof_whenScanned_thenItIsRefusedByName()
            throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 3; i++) {
                log.log.makeDurable(log.append(0, i, 10));
            }
        }

        damageBlock(2);

        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("redo/000.hfl")
                .hasMessageContaining("blockLsn=8192")
                .hasMessageContaining("durableThrough=12352");
    }

    @Test
    void givenTheLastBlockRotten_whenNothingVouchesForIt_thenTheLogEndsBeforeIt()
            throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 3; i++) {
                log.log.makeDurable(log.append(0, i, 10));
            }
        }

        damageBlock(3);

        try (TestLog second = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(second)).containsExactly(0L, 1L);
        }
    }

    @Test
    void givenTheLastBlockRotten_whenTheIdleMarkVouchesForIt_thenItIsRefused() throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.log.makeDurable(log.append(0, 0, 10));
            IdleMark mark = new IdleMark(log.log, log.checkpoints);
            mark.run();
        }

        damageBlock(1);

        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("durableThrough=8256");
    }

    @Test
    void givenARottenBlockThatHoldsTheCheckpoint_whenScanned_thenItIsRefused() throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.append(0, 0, 100);
            long middle = log.append(0, 1, 100);
            log.log.makeDurable(log.log.closedLsn());
            log.checkpoints.update(
                    record ->
                            record.withCheckpoint(middle, middle, false).withHighWater(2, 16, 16));
        }
        TestLog.recover(disk.directory(), OPTIONS).close();

        damageBlock(1);

        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("blockLsn=4096");
    }

    @Test
    void givenAnOldVersionOfTheBlockThatHoldsTheCheckpoint_whenScanned_thenItIsRefused()
            throws IOException {
        byte[] tail;
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.log.makeWritten(log.append(0, 0, 100));
            tail = disk.contents("redo/000.hfl", OPTIONS.layout().positionOf(1), 4096);
            long middle = log.append(0, 1, 100);
            log.log.makeDurable(log.append(0, 2, 100));
            log.checkpoints.update(record -> record.withCheckpoint(middle, middle, false));
        }

        disk.damage("redo/000.hfl", OPTIONS.layout().positionOf(1), tail);

        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("blockLsn=4096");
    }

    @Test
    void givenALogThatWentOnALapFurther_whenAnOldRecordIsAllThereIs_thenItIsRefused()
            throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 60; i++) {
                log.append(0, i, 8000);
                log.checkpoint(i + 1);
            }
        }
        byte[] first = disk.contents(CheckpointFile.NAME, 0, 4096);
        disk.damage(CheckpointFile.NAME, 0, new byte[4096]);
        disk.damage(CheckpointFile.NAME, 4096, new byte[4096]);
        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("no readable checkpoint record");

        SimulatedDisk old = SimulatedDisk.create();
        TestLog.create(old.directory(), OPTIONS).close();
        disk.damage(CheckpointFile.NAME, 0, old.contents(CheckpointFile.NAME, 0, 4096));

        assertThat(first).isNotEqualTo(old.contents(CheckpointFile.NAME, 0, 4096));
        assertThatThrownBy(() -> TestLog.recover(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("below a proof");
    }

    @Test
    void givenAnOldVersionOfATail_whenTheBlockBehindItIsThere_thenTheyDoNotJoin()
            throws IOException {
        byte[] tail;
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.append(0, 0, 100);
            log.log.makeWritten(log.log.closedLsn());
            tail = disk.contents("redo/000.hfl", OPTIONS.layout().positionOf(1), 4096);
            log.append(0, 1, 4032 - 2 * 16 - 160 - 24);
            log.append(0, 2, 100);
            log.log.makeWritten(log.log.closedLsn());
        }
        disk.damage("redo/000.hfl", OPTIONS.layout().positionOf(1), tail);

        try (TestLog second = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(second)).containsExactly(0L);
        }
    }

    @Test
    void givenAnEpochWhoseFirstBlockIsLost_whenAnOldBlockLiesThere_thenTheSecondDoesNotJoin()
            throws IOException {
        long second = OPTIONS.layout().positionOf(2);
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.log.makeDurable(log.append(0, 0, 10));
            log.log.makeWritten(log.append(0, 1, 11_000));
        }
        damageBlock(4);
        byte[] oldBlock = disk.contents("redo/000.hfl", second, 4096);
        try (TestLog next = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(next)).containsExactly(0L);
            next.log.makeWritten(next.append(0, 1, 11_000));
        }
        disk.damage("redo/000.hfl", second, oldBlock);
        disk.damage(CheckpointFile.NAME, 0, NOISE); // the first update goes to the first block

        try (TestLog third = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(third.checkpoints.oneWasUnreadable()).isTrue();
            assertThat(numbers(third)).containsExactly(0L);
        }
    }

    @Test
    void givenACheckpointAtABorder_whenAnOldBlockLiesBehindIt_thenItIsNotTheLog()
            throws IOException {
        int filling;
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            filling = Lsn.PAYLOAD - (log.group(0, 0, 1000).length() - 1000);
            for (int i = 0; i < 5; i++) {
                log.append(0, i, filling);
            }
            log.log.makeWritten(log.log.closedLsn());
        }
        damageBlock(2);
        try (TestLog next = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(next)).containsExactly(0L);
            next.append(0, 1, filling);
            next.checkpoint(2);
        }

        try (TestLog third = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(third.scanned.recoveredEndLsn()).isEqualTo(3 * 4096 + 64);
            assertThat(third.recovered).isEmpty();
        }
    }

    @Test
    void givenAnEpochInWhichNothingWasWritten_whenItWasMarkedIdle_thenTheNextOpenFindsTheSameEnd()
            throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.log.makeWritten(log.append(0, 0, 10));
        }
        for (int i = 0; i < 3; i++) {
            try (TestLog next = TestLog.recover(disk.directory(), OPTIONS)) {
                IdleMark mark = new IdleMark(next.log, next.checkpoints);
                next.log.makeDurable(next.log.appendLsn());
                mark.run();
                assertThat(next.log.appendLsn()).isEqualTo(2 * 4096 + 64);
            }
        }

        try (TestLog last = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(numbers(last)).containsExactly(0L);
            last.checkpoint(1);
            assertThat(last.checkpoints.newest().checkpointLsn()).isEqualTo(2 * 4096 + 64);
        }
        try (TestLog afterCheckpoint = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(afterCheckpoint.recovered).isEmpty();
            assertThat(afterCheckpoint.log.appendLsn()).isEqualTo(2 * 4096 + 64);
        }
    }

    @Test
    void givenOneCheckpointBlockUnreadable_whenReopened_thenTheEpochIsOneFurther()
            throws IOException {
        TestLog.create(disk.directory(), OPTIONS).close();
        try (TestLog second = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(second.log.epoch()).isEqualTo(2);
            second.log.makeDurable(second.append(0, 0, 10));
        }
        int newestBlock = 0; // the first update of a new file goes to its first block
        disk.damage(CheckpointFile.NAME, newestBlock * 4096L + 100, NOISE);

        try (TestLog third = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(third.checkpoints.oneWasUnreadable()).isTrue();
            assertThat(third.log.epoch()).isEqualTo(4);
            assertThat(numbers(third)).containsExactly(0L);
        }
        try (TestLog fourth = TestLog.recover(disk.directory(), OPTIONS)) {
            assertThat(fourth.checkpoints.oneWasUnreadable()).isFalse();
            assertThat(fourth.log.epoch()).isEqualTo(5);
        }
    }

    @Test
    void givenAProofFromOutside_whenItIsAboveTheEnd_thenItIsRefusedByName() throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            log.log.makeDurable(log.append(0, 0, 10));
        }

        try (TestLog second = TestLog.recover(disk.directory(), OPTIONS)) {
            second.scanned.requireThrough(8256, "main.hfs");
            assertThatThrownBy(() -> second.scanned.requireThrough(8272, "main.hfs"))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("main.hfs")
                    .hasMessageContaining("lsn=8272");
        }
    }

    @Test
    void givenAnyBitOfTheLogFlipped_whenOpened_thenItIsAPrefixOrRefused() throws IOException {
        try (TestLog log = TestLog.create(disk.directory(), OPTIONS)) {
            for (int i = 0; i < 6; i++) {
                log.append(0, i, 1500);
                if (i == 2) {
                    log.log.makeDurable(log.log.closedLsn());
                }
            }
            log.log.makeDurable(log.log.closedLsn());
        }
        int refused = 0;
        int shortened = 0;

        for (int at = 0; at < 6 * 4096; at += at % 4096 < 70 ? 1 : 89) {
            // On a disk of its own, since an open vouches for what it has read.
            SimulatedDisk damaged = disk.crash(CrashMode.ALL_PENDING, 0).disk();
            damaged.flipBit("redo/000.hfl", at, at % 8);
            try (TestLog second = TestLog.recover(damaged.directory(), OPTIONS)) {
                List<Long> numbers = numbers(second);
                long count = numbers.size();
                assertThat(numbers).isEqualTo(LongStream.range(0, count).boxed().toList());
                shortened += count < 6 ? 1 : 0;
            } catch (CorruptionException expected) {
                refused++;
            }
        }

        assertThat(refused).isPositive();
        assertThat(shortened).isPositive();
    }

    private void damageBlock(long block) throws IOException {
        RedoLayout layout = OPTIONS.layout();
        String file = RedoLayout.fileName(layout.segmentOf(block));
        disk.damage(file, layout.positionOf(block) + 300, NOISE);
    }

    private static List<Long> numbers(TestLog log) {
        return log.recovered.stream().map(TestLog.Group::number).toList();
    }
}
