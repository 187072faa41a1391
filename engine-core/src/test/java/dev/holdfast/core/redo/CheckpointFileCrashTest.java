// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** If this failed, a store could be left without any record of where recovery starts. */
final class CheckpointFileCrashTest {
    private static final UUID STORE = new UUID(3, 4);
    private static final int SEEDS = 20;

    @Test
    void givenAKillBetweenWriteAndSync_whenThePowerFailsInTheNextUpdate_thenOneBlockIsWhole()
            throws IOException {
        SimulatedDisk first = SimulatedDisk.create();
        int named;
        try (CheckpointFile file = CheckpointFile.create(first.directory(), STORE, firstRecord())) {
            first.directory().syncDirectory("");
            named = first.eventCount();
            update(file);
        }
        int images = 0;
        for (int point = named; point <= first.eventCount(); point++) {
            CrashImage killed =
                    CrashImage.build(first.trace(), point, CrashMode.PROCESS_KILLED, point);
            SimulatedDisk second = killed.disk();
            try (CheckpointFile file = CheckpointFile.open(second.directory(), STORE)) {
                update(file);
            }
            images += crashEverywhere(second);
        }

        assertThat(images).isGreaterThan(100);
    }

    private static int crashEverywhere(SimulatedDisk disk) throws IOException {
        int images = 0;
        for (int point = 0; point <= disk.eventCount(); point++) {
            for (int seed = 0; seed < SEEDS; seed++) {
                CrashImage image =
                        CrashImage.build(disk.trace(), point, CrashMode.GARBAGE_SECTORS, seed);
                try (CheckpointFile file = CheckpointFile.open(image.disk().directory(), STORE)) {
                    assertThat(file.newest().sequence()).isPositive();
                }
                images++;
            }
        }
        return images;
    }

    private static void update(CheckpointFile file) throws IOException {
        file.update(record -> record.withHighWater(record.transactionIdHighWater() + 1, 20, 20));
    }

    private static CheckpointRecord firstRecord() {
        return CheckpointRecord.first(1, 16, 16, 4096, new RedoLayout(4, 1 << 17));
    }
}
