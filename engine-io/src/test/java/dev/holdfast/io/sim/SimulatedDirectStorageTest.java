// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageContract;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The contract of all storage on the simulated disk with DIRECT files. */
final class SimulatedDirectStorageTest extends StorageContract {
    private final SimulatedDisk disk =
            SimulatedDisk.create(DiskOptions.DEFAULT.withMode(FileMode.DIRECT));

    @Override
    protected StorageDirectory openStorage() {
        return disk.directory();
    }

    @Test
    void givenAnUnalignedTransfer_whenTried_thenItIsRefused() throws IOException {
        try (StorageFile file = directory.create("a.hfs")) {

            assertThatThrownBy(() -> file.write(512, pages(1, 1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("position=512");
        }
    }
}
