// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.DiskOptions;
import dev.holdfast.io.sim.SimulatedDisk;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** If this failed, a log would be measured that is not synced as it says. */
class SyncedLogTest {
    private static final int APPENDS = 200;

    @ParameterizedTest
    @EnumSource
    void givenASyncedLog_whenAppendedTo_thenEachAppendHasASync(FileMode mode) throws Exception {
        StorageFile file = file(mode);
        SyncedLog log = SyncedLog.over(file, 512, true, mode, 1);
        long before = file.statistics().syncs();

        for (int i = 0; i < APPENDS; i++) {
            log.append();
        }

        assertThat(file.statistics().syncs() - before).isEqualTo(APPENDS);
    }

    @ParameterizedTest
    @EnumSource
    void givenManyThreads_whenTheyAppendInAGroup_thenThoseThatSyncedAreTheSyncs(FileMode mode)
            throws Exception {
        StorageFile file = file(mode);
        SyncedLog log = SyncedLog.over(file, 300, true, mode, 1);
        long before = file.statistics().syncs();
        Callable<Integer> appends =
                () -> {
                    int led = 0;
                    for (int i = 0; i < APPENDS; i++) {
                        led += log.appendInGroup(300) ? 1 : 0;
                    }
                    return led;
                };

        List<Integer> led = Team.run(Collections.nCopies(4, appends));

        long syncs = file.statistics().syncs() - before;
        assertThat(syncs).isEqualTo(led.stream().mapToInt(each -> each).sum());
        assertThat(syncs).isBetween(1L, 4L * APPENDS);
    }

    private static StorageFile file(FileMode mode) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create(DiskOptions.DEFAULT.withMode(mode));
        disk.stopRecording();
        return disk.directory().create("log");
    }
}
