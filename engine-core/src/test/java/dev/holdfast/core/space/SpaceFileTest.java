// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.core.page.PageSeal;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** If this failed, pages that a failed sync lost could be called clean by who syncs next. */
final class SpaceFileTest {
    @Test
    void givenASyncThatFailed_whenSyncedAgain_thenThatFailsTooThoughTheDiskWouldSayAllIsWell()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        StorageFile file = disk.directory().create("space-16.hfs");
        SpaceFile space =
                new SpaceFile(
                        16, file, PageSeal.kindBit(PageChecksums.CRC32C), PageChecksums.CRC32C);
        space.sync();
        file.write(0, ByteBuffer.allocateDirect(4096));
        disk.faults().add(Fault.on(Operation.SYNC, file.name()).nth(1).error(Fault.IO_ERROR));
        assertThatThrownBy(space::sync).isInstanceOf(IOException.class);

        assertThatCode(() -> file.sync(true)).doesNotThrowAnyException();
        assertThatThrownBy(space::sync)
                .isInstanceOf(IOException.class)
                .hasMessage("an earlier sync failed: file=space-16.hfs");
    }
}
