// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageContract;
import dev.holdfast.io.file.StorageDirectory;
import org.junit.jupiter.api.BeforeEach;

/** The contract of all storage on the simulated disk when writes arrive in odd parts. */
final class SimulatedSplitStorageTest extends StorageContract {
    private final SimulatedDisk disk = SimulatedDisk.create();

    @BeforeEach
    void splitTransfers(SeededRandom random) {
        disk.faults().splitTransfers(random);
    }

    @Override
    protected StorageDirectory openStorage() {
        return disk.directory();
    }
}
