// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageInterruptContract;

/** Interrupts and threads on the simulated disk. */
final class SimulatedStorageInterruptStressTest extends StorageInterruptContract {
    private final SimulatedDisk disk = SimulatedDisk.create();

    @Override
    protected StorageDirectory openStorage() {
        return disk.directory();
    }
}
