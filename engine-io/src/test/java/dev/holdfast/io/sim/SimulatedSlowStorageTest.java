// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageContract;
import dev.holdfast.io.file.StorageDirectory;
import org.junit.jupiter.api.BeforeEach;

/** The contract of all storage on a simulated disk that is slow by a clock that costs no time. */
final class SimulatedSlowStorageTest extends StorageContract {
    private final SimulatedDisk disk = SimulatedDisk.create();

    @BeforeEach
    void shapeLatency(SeededRandom random) {
        disk.clock(TestClock.jumping());
        Latency latency = Latency.of(80_000, 100_000, 4_000_000, 200_000_000);
        disk.shapeLatency(latency.withTail(0.3).withStalls(0.01, 50_000_000), 4, random);
    }

    @Override
    protected StorageDirectory openStorage() {
        return disk.directory();
    }
}
