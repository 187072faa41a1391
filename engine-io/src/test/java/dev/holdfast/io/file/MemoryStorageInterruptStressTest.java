// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

/** Interrupts and threads in memory. */
final class MemoryStorageInterruptStressTest extends StorageInterruptContract {
    private final MemoryDirectory memory = MemoryDirectory.create();

    @Override
    protected StorageDirectory openStorage() {
        return memory.reopen();
    }
}
