// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageContract;
import dev.holdfast.io.file.StorageDirectory;

/** The contract of all storage on the simulated disk, without faults. */
final class SimulatedStorageTest extends StorageContract {
    private final SimulatedDisk disk = SimulatedDisk.create();

    @Override
    protected StorageDirectory openStorage() {
        return disk.directory();
    }
}
